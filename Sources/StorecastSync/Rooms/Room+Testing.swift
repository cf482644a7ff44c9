extension Room {
    /// Whether it has read its history.
    package var isReady: Bool { phase == .ready }

    /// Whether it couldn't read its history.
    package var hasFailed: Bool {
        if case .failed = phase { true } else { false }
    }

    /// Every group that is kept up to date.
    package var liveGroups: [SelectionGroup] { groups.live.map(\.group) }

    /// How many groups are kept for those who come back.
    package var lingeringCount: Int { lingering.count }

    /// Those groups, and the ticket that each got when it was left.
    package var groupsLeft: [(ticket: UInt64, group: SelectionGroup)] { lingering.groups }

    /// The bytes of those groups, about.
    package var lingeringBytes: Int { lingering.bytes }

    /// The bytes of what waits for the journal, about.
    package var waitingBytes: Int { heldBytes }

    /// Whether everything that came has been reduced or refused.
    package var isAtRest: Bool {
        batch.isEmpty && postponed.isEmpty && !isAppending && attendance.isQuiet
    }
}
