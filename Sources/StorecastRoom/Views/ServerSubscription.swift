import StorecastWire

/// One connection's interest in one selection group.
package final class ServerSubscription {
    unowned let session: ServerSession
    package let group: SelectionGroup
    /// The client's names for it; two refs may share one subscription.
    var refs: [UInt64] = []
    /// The version of the value that the connection was last sent; nil before the first.
    var position: UInt64?
    /// Answer with `current` if there is nothing to send.
    var wantsCurrent = false
    /// Whether the connection was sent its first message.
    private var isLive = false
    /// In the session's queue.
    var isQueued = false
    /// Out of its group.
    var isDropped = false
    /// Its place in the group.
    var index = 0

    init(session: ServerSession, group: SelectionGroup) {
        self.session = session
        self.group = group
    }

    /// Whether the next message is the first, of a version between which and now the value may have
    /// been another, while nobody looked: other mirrors of the connection may be there already.
    var beginsWithGap: Bool { !isLive && group.hasGap }

    /// What brings the connection to the group's value now, or nil.
    func nextMessage() -> ServerMessage? {
        defer {
            position = group.version
            wantsCurrent = false
            isLive = true
        }
        if position != group.version { return group.message(from: position) }
        return wantsCurrent
            ? .current(sub: group.sub, version: group.version) : nil
    }
}
