import Storecast
import StorecastSync

/// Brings the groups to the room's version, and ends those that can't be had any more.
extension Views {
    /// Brings every group to the room's version; one whose value can't be encoded ends.
    ///
    /// Of values that are told of changes, some may be left behind for later turns.
    func evaluate() {
        guard let state = log.store.state else { return }
        // Before anything that they would be sent.
        if asksAgain { askAgain() }
        var failed: [SelectionGroup] = []
        let wereBehind = areBehind
        func update(_ group: SelectionGroup, _ source: any SelectionSource<State>) {
            if !self.update(group, source, to: state) { failed.append(group) }
        }
        timer.begin(at: host.now)
        for kind in groups.kinds where !kind.members.isEmpty && !kind.isTold {
            if let reads = kind.reads, let evaluated, !reads(evaluated, state) { continue }
            kind.meter.evaluated(kind.members.count)
            for (group, source) in kind.members { update(group, source) }
            timer.note(kind.members.count, of: kind.meter, at: host.now)
        }
        finders.work = 0
        finders.advance(to: state) { source in
            guard let group = source.group, let meter = group.meter else { return }
            if source.way == .path || areBehind || finders.work >= catchUpWork {
                if group.isBehind { return }
                if group.isLarge {
                    behind.large.append((group, source))
                } else {
                    behind.small.append((group, source))
                    areSmallDone = false
                }
                group.isBehind = true
                areBehind = true
                return
            }
            timer.skip(to: host.now)
            meter.evaluated(1)
            update(group, source)
            spend(on: group, source)
            timer.note(1, of: meter, at: host.now)
        }
        let done = catchUp(to: state, &failed)
        timer.end(at: host.now)
        // Whoever was to be sent something meanwhile was passed over.
        if wereBehind { tellSubscribers(of: done) }
        if evaluated != nil { evaluated = state }
        end(failed)
    }

    /// Brings groups that were left behind to the room's version, as far as a turn's work goes.
    func catchUp() {
        finders.work = 0
        defer { releaseLeaving() }
        guard areBehind, let state = log.store.state else { return }
        var failed: [SelectionGroup] = []
        timer.begin(at: host.now)
        let done = catchUp(to: state, &failed)
        timer.end(at: host.now)
        tellSubscribers(of: done)
        end(failed)
    }

    /// Ends the subscriptions that a rule that looks at the state doesn't allow any more.
    private func askAgain() {
        var refused: [ServerSubscription] = []
        for kind in groups.kinds {
            guard let key = kind.members.first?.group.key,
                log.definition.rule(for: key.name, isClosed: isClosed).readsState
            else { continue }
            func ask(_ subscription: ServerSubscription) {
                if !admits(subscription.subscriber.identity, to: subscription.group.key) {
                    refused.append(subscription)
                }
            }
            for (group, _) in kind.members {
                for subscription in group.subscriptions where !subscription.isMirror {
                    ask(subscription)
                }
                for subscription in group.passedOn { ask(subscription) }
            }
        }
        for subscription in refused {
            subscription.subscriber.lapse(subscription, Rejection.Code.forbidden.description)
        }
    }

    private func tellSubscribers(of groups: [SelectionGroup]) {
        for group in groups {
            for subscription in group.subscriptions { subscription.subscriber.caughtUp() }
        }
    }

    /// How much work is made at a time to bring groups up to date: little of what others wait for.
    var catchUpWork: Int {
        // Some in any case: a turn that does nothing is followed by another.
        holdsLarge() ? max(1, limits.turnWork / 16) : limits.turnWork
    }

    /// As far as a turn's work goes, but at least one of those with large values.
    ///
    /// - Returns: those that it has brought to the room's version.
    private func catchUp(to state: State, _ failed: inout [SelectionGroup]) -> [SelectionGroup] {
        guard areBehind else { return [] }
        var updated: [SelectionGroup] = []
        let most = catchUpWork
        func take(_ told: inout [Told], atLeast least: Int) {
            var done = 0
            while done < told.count, finders.work < most || done < least {
                let (group, source) = told[done]
                done += 1
                guard group.isBehind else { continue }
                group.isBehind = false
                updated.append(group)
                catchUp(group, source, to: state, &failed)
            }
            told.removeFirst(done)
        }
        take(&behind.small, atLeast: 0)
        if !holdsLarge() { take(&behind.large, atLeast: 1) }
        areSmallDone = behind.small.isEmpty
        areBehind = !areSmallDone || !behind.large.isEmpty
        return updated
    }

    private func catchUp(
        _ group: SelectionGroup, _ source: any ToldSource<State>, to state: State,
        _ failed: inout [SelectionGroup]
    ) {
        timer.skip(to: host.now)
        group.meter?.evaluated(1)
        if !update(group, source, to: state) { failed.append(group) }
        if group.version != log.version {
            for subscription in group.subscriptions {
                subscription.subscriber.skipped(to: log.version)
            }
        }
        spend(on: group, source)
        if let meter = group.meter { timer.note(1, of: meter, at: host.now) }
    }

    /// Counts what an update took; a source that is found by a path counts it itself.
    private func spend(on group: SelectionGroup, _ source: any ToldSource<State>) {
        switch source.way {
        case .path: break
        case .rows: finders.work += 256 + 4 * group.size
        default: finders.work += 256
        }
    }

    /// False if the value can't be encoded.
    private func update(
        _ group: SelectionGroup, _ source: any SelectionSource<State>, to state: State
    ) -> Bool {
        do {
            guard let change = try source.update(state) else { return true }
            group.meter?.changed()
            group.update(change, at: log.version)
            try checkSize(of: group)
            return true
        } catch {
            report(error, of: group)
            return false
        }
    }

    private func end(_ failed: [SelectionGroup]) {
        for group in failed {
            detach(groups.remove(group))
            for subscription in group.subscriptions + group.passedOn {
                subscription.subscriber.lapse(subscription, Rejection.Code.internal.description)
            }
        }
    }
}
