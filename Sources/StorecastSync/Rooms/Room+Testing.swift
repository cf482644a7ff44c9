extension Room {
    /// Whether it has read its history.
    package var isReady: Bool { phase == .ready }

    /// Whether it couldn't read its history.
    package var hasFailed: Bool {
        if case .failed = phase { true } else { false }
    }

    /// Every group that is kept up to date.
    package var liveGroups: [SelectionGroup] { groups.live.map(\.group) }

    /// Whether everything that came has been reduced or refused.
    package var isIdle: Bool { batch.isEmpty && !isAppending }
}
