import StorecastSync

extension SyncServer {
    /// Whether an observer is attached to the room.
    package func isObserved(_ path: String) async -> Bool {
        await home(of: path)?.isObserved(path) ?? false
    }
}

extension ServerLoop {
    fileprivate func isObserved(_ path: String) -> Bool {
        core?.rooms.rooms[ExactString(path)]?.observer != nil
    }
}
