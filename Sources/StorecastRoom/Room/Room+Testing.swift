extension Room {
    /// What is settled of a client's dispatches.
    package func record(of client: String) -> ClientLedger.Record? { ledger[client: client] }

    /// Whether it has read its history.
    package var isReady: Bool { phase == .ready }

    /// Every group that is kept up to date.
    package var liveGroups: [SelectionGroup] { views.live }

    /// Those of them without subscriptions, which are still to be let go.
    package var leavingGroups: [SelectionGroup] { views.leaving }

    /// How many groups are kept for those who come back.
    package var lingeringCount: Int { views.lingering.count }

    /// Those groups, and the ticket that each got when it was left.
    package var groupsLeft: [(ticket: UInt64, group: SelectionGroup)] { views.lingering.groups }

    /// The bytes of those groups, about.
    package var lingeringBytes: Int { views.lingering.bytes }

    /// The bytes of what waits for the journal, about.
    package var waitingBytes: Int { queue.bytes }

    /// How many clients are in the room.
    package var sessionCount: Int { sessions.count }

    /// Whether everything that came has been reduced or refused.
    package var isAtRest: Bool { queue.isEmpty && attendance.isQuiet }
}

extension SelectionGroup {
    /// Whether a connection is being sent a value of the group in parts.
    var hasTextUnderway: Bool { underway != nil && underway !== snapshot }
}

extension FrameInbox {
    /// How many messages there is memory for, those included whose frames are taken.
    var heldCount: Int { messages.count }
}

extension RoomReplay {
    /// The snapshot that a journal would be given now.
    package func keptSnapshot() throws -> JournalSnapshot {
        JournalSnapshot(
            offset: offset, version: version,
            content: try snapshot.encoded(schema: log.definition.schema.version))
    }
}
