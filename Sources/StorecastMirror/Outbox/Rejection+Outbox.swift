public import StorecastSync

extension Rejection.Code {
    /// The client keeps as many dispatches without an outcome as it may; see ``OutboxLimits``.
    public static let outboxFull = Self("outbox-full")
    /// Another process or connection uses the outbox.
    public static let outboxLocked = Self("outbox-locked")
    /// The outbox isn't one, or of another room.
    public static let outboxUnreadable = Self("outbox-unreadable")
    /// The outbox can't be written: the disk is full, say.
    public static let outboxUnwritable = Self("outbox-unwritable")
}
