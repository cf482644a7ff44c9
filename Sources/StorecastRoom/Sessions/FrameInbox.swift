import StorecastWire

/// Messages that have come and of which not all frames are taken, oldest first.
struct FrameInbox {
    private var messages: [ClientFrames] = []
    private var first = 0

    mutating func append(_ frames: ClientFrames) {
        messages.append(frames)
    }

    mutating func next() -> Result<ClientFrame, FrameError>? {
        while first < messages.count {
            if let frame = messages[first].next() { return frame }
            first += 1
        }
        messages.removeAll(keepingCapacity: messages.count < 64)
        first = 0
        return nil
    }

    mutating func removeAll() {
        messages = []
        first = 0
    }
}
