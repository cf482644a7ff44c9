import StorecastWire

/// Messages that have come and of which not all frames are taken, oldest first.
struct FrameInbox {
    private var messages: [ClientFrames] = []
    private var first = 0
    /// Frames that were taken before their time, in order: they come first.
    private var early: ArraySlice<ClientFrame> = []

    /// How many bytes the messages have together.
    private(set) var bytes = 0
    /// How many bytes those have that aren't read yet.
    private(set) var unreadBytes = 0

    var isEmpty: Bool { messages.isEmpty && early.isEmpty }

    mutating func append(_ frames: ClientFrames, bytes: Int) {
        messages.append(frames)
        self.bytes += bytes
        if frames.unread != nil { unreadBytes += bytes }
    }

    /// - Parameter bytes: how many bytes all messages have that came until now.
    mutating func putBack(_ frames: [ClientFrame], bytes: Int) {
        guard !frames.isEmpty else { return }
        early = frames[...]
        self.bytes = max(self.bytes, bytes)
    }

    /// - Parameter read: the frames of a message that wasn't read when it came.
    mutating func next(
        reading read: ([UInt8]) -> ClientFrames
    ) -> Result<ClientFrame, FrameError>? {
        if let frame = early.popFirst() {
            if isEmpty { bytes = 0 }
            return .success(frame)
        }
        while first < messages.count {
            if let text = messages[first].unread {
                unreadBytes -= text.count
                messages[first] = read(text)
            }
            if let frame = messages[first].next() { return frame }
            first += 1
        }
        messages.removeAll(keepingCapacity: messages.count < 64)
        (first, bytes) = (0, 0)
        return nil
    }

    mutating func removeAll() {
        early = []
        messages = []
        (first, bytes, unreadBytes) = (0, 0, 0)
    }
}
