/// Groups that nobody has any more: let go of, kept for a while, and forgotten.
extension Views {
    /// The group's last subscription is gone; it is kept for a while, as clients reconnect. Beyond
    /// a turn's work that is done in later turns.
    ///
    /// - Returns: whether a turn has to be asked for, as it is the first that waits.
    func release(_ group: SelectionGroup) -> Bool {
        guard areLeaving || finders.work >= limits.turnWork else {
            rest(group)
            return false
        }
        leaving.append(group)
        defer { areLeaving = true }
        return !areLeaving
    }

    func releaseLeaving() {
        guard areLeaving else { return }
        var done = 0
        while done < leaving.count, finders.work < catchUpWork {
            // Somebody may have come for it meanwhile.
            if leaving[done].isUnused { rest(leaving[done]) }
            done += 1
        }
        leaving.removeFirst(done)
        areLeaving = !leaving.isEmpty
    }

    private func rest(_ group: SelectionGroup) {
        guard let source = groups.remove(group) else { return }
        finders.work += Self.releaseWork + (source.told?.way == .rows ? 4 * group.size : 0)
        if groups.readers == 0 { evaluated = nil }
        detach(source)
        onChange()
        // What it is now was never found out.
        if group.isBehind {
            group.isBehind = false
            return
        }
        group.rest()
        lingering.append((group, source))
        while lingering.count > limits.lingeringGroups || lingering.bytes > limits.lingeringBytes {
            lingering.removeOldest()
        }
        watchLingering()
    }

    /// What it takes to let a group go, in bytes compared.
    private static var releaseWork: Int { 2048 }

    /// Lets go of what only saves work later.
    func forgetLingering() {
        lingering.removeAll()
        finders.forgetIdle()
    }

    func detach(_ source: (any SelectionSource<State>)?) {
        guard let source = source?.told else { return }
        source.detach()
        listen()
    }

    /// Has the log tell of actions as long as somebody wants to know.
    func listen() {
        guard finders.areListening != (log.willChange != nil) else { return }
        log.willChange =
            log.willChange == nil ? { [finders] in finders.note($1, on: $0) } : nil
    }

    /// One timer at a time, as long as there is something to forget.
    private func watchLingering() {
        guard !isWatchingLingering, !lingering.isEmpty else { return }
        isWatchingLingering = true
        host.schedule(after: limits.lingerTime) { [weak self] in
            guard let self else { return }
            isWatchingLingering = false
            lingering.removeElders()
            watchLingering()
        }
    }
}
