package import StorecastSync

/// What is kept of the mirrors for the next session.
extension ClientSession {
    /// After which time ``saveMirrors()`` should be called; nil if nothing is new.
    package var cacheDelay: Duration? { phase == .closed ? nil : cache?.delay }

    /// Stores what the mirrors hold, if something is new.
    package func saveMirrors() {
        guard phase != .closed else { return }
        cache?.save(mirrors.all, at: position, in: term)
    }

    /// As ``saveMirrors()``, also if no more than the position is new.
    package func saveCache() {
        cache?.noteStandstill(at: position)
        saveMirrors()
    }

    /// Takes away what was kept, and keeps nothing from now on.
    package func wipeCache() throws(Rejection) {
        try cache?.wipe()
    }

    /// What the viewer may not have any more doesn't stay on the disk.
    func saveIfForbidden(_ rejection: Rejection) {
        if rejection.code == .forbidden { saveMirrors() }
    }
}
