/// How much of its history a room has read.
public struct RoomProgress: Equatable, Sendable {
    /// The room's name.
    public var room: String
    /// What was read of ``total``, in offsets of the journal.
    public var done: UInt64
    /// What lies behind the snapshot that the room began with.
    public var total: UInt64

    /// - Parameters:
    ///   - room: the room's name.
    ///   - done: what was read of `total`.
    ///   - total: what there is to read.
    public init(room: String, done: UInt64, total: UInt64) {
        self.room = room
        self.done = done
        self.total = total
    }
}
