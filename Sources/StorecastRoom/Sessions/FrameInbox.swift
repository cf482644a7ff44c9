import StorecastWire

/// Messages that have come and of which not all frames are taken, oldest first.
struct FrameInbox {
    struct Message {
        var frames: ClientFrames
        let bytes: Int
    }

    private(set) var messages: [Message] = []
    /// The first of which not all frames are taken.
    private var first = 0
    /// How many bytes those have together from there on.
    private var messageBytes = 0
    /// Frames that were taken before their time, in order: they come first.
    private var early: ArraySlice<ClientFrame> = []
    private var earlyBytes = 0

    /// How many bytes the messages have together of which not all frames are taken.
    var bytes: Int { earlyBytes + messageBytes }
    /// How many bytes those have that aren't read yet.
    private(set) var unreadBytes = 0

    var isEmpty: Bool { messages.isEmpty && early.isEmpty }

    mutating func append(_ frames: ClientFrames, bytes: Int) {
        messages.append(Message(frames: frames, bytes: bytes))
        messageBytes += bytes
        if let text = frames.unread { unreadBytes += text.count }
    }

    /// - Parameter bytes: how many bytes all messages have that came until now.
    mutating func putBack(_ frames: [ClientFrame], bytes: Int) {
        guard !frames.isEmpty else { return }
        early = frames[...]
        earlyBytes = max(0, bytes - messageBytes)
    }

    /// - Parameter read: the frames of a message that wasn't read when it came.
    mutating func next(
        reading read: ([UInt8]) -> ClientFrames
    ) -> Result<ClientFrame, FrameError>? {
        if let frame = early.popFirst() {
            if early.isEmpty { earlyBytes = 0 }
            return .success(frame)
        }
        while first < messages.count {
            if let text = messages[first].frames.unread {
                unreadBytes -= text.count
                messages[first].frames = read(text)
            }
            if let frame = messages[first].frames.next() { return frame }
            passFirst()
        }
        messages.removeAll(keepingCapacity: messages.count < 64)
        first = 0
        return nil
    }

    /// All frames of the first message are taken. It is let go of now, as more may come for ever.
    private mutating func passFirst() {
        messageBytes -= messages[first].bytes
        if first + 1 < messages.count { messages[first].frames = ClientFrames(unread: []) }
        first += 1
        guard first >= 64, first * 2 >= messages.count, first < messages.count else { return }
        messages.removeFirst(first)
        first = 0
    }

    mutating func removeAll() { self = FrameInbox() }
}
