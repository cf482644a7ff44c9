extension SyncServer {
    /// Whether something is noted of the room for the devtools.
    package func isWatched(_ path: String) async -> Bool {
        await home(of: path)?.observes(path) ?? false
    }
}

extension ServerLoop {
    fileprivate func observes(_ path: String) -> Bool {
        core?.rooms.rooms[ExactString(path)]?.observer != nil
    }
}
