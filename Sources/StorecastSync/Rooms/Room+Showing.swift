import StorecastWire

/// A room in which something is played that happened before.
extension Room {
    package func show(_ kept: JournalSnapshot) {
        do {
            restore(try RoomSnapshot(kept, of: definition, limits: limits), at: kept.offset)
            evaluateGroups()
        } catch {
            context.host.report(
                "What is to be shown in room '\(name)' can't be used: "
                    + JSONCoding.message(for: error))
        }
    }

    package func show(_ record: JournalRecord, at offset: UInt64) {
        commit([entry(record, offset)], through: offset)
        self.offset = offset
    }
}

extension RoomDefinition {
    /// The room for everyone to look at what is shown in it: nobody can dispatch anything, and what
    /// follows the room when a server opens it doesn't.
    var exhibited: Self {
        var room = self
        room.actions.refusal = Rejection(
            .forbidden, "This is a replay: nothing can be changed in it.")
        room.selectionGuards = [:]
        room.opening = { _ in }
        room.grace = nil
        return room
    }
}
