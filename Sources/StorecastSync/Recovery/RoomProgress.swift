/// How much of its history a room has read.
package struct RoomProgress: Equatable, Sendable {
    /// The room's name.
    package var room: String
    /// What was read of ``total``, in offsets of the journal.
    package var done: UInt64
    /// What lies behind the snapshot that the room began with.
    package var total: UInt64

    package init(room: String, done: UInt64, total: UInt64) {
        self.room = room
        self.done = done
        self.total = total
    }
}
