import StorecastSync
import StorecastWire

/// The values that clients have selected: asked for at the owner, followed, and let go of.
extension MirroredRoom {
    func found(_ frame: ClientFrame.Subscribe, as owner: UInt64) -> MirroredGroup {
        lastSub += 1
        let group = MirroredGroup(sub: lastSub, selection: frame.select, parameters: frame.params)
        groups[group.sub] = group
        ask(for: group, as: owner)
        return group
    }

    func ask(for group: MirroredGroup, as owner: UInt64) {
        group.isAsked(for: owner)
        owned[owner] = group
        let at = group.resumption(at: position)
        send { writer in
            writer.write(ClientFrame.Mirror(ref: group.sub, sub: owner, at: at))
        }
    }

    func answered(_ sub: UInt64) -> MirroredGroup? {
        owned[sub].flatMap { $0.isAnswered ? $0 : nil }
    }

    func apply(
        _ frame: ServerFrame, _ history: JSONView?, to group: MirroredGroup, known: UInt64
    ) {
        do {
            switch frame {
            case .snapshot(_, let version, let value) where group.group == nil:
                let new = try group.begin(
                    value.json, at: version, history: history, limits, recent)
                reach(version)
                give(new, of: group)
            case .snapshot(_, let version, let value):
                try group.replace(
                    by: value.json, at: version, known: known, work: limits.turnWork)
            case .patch(_, let from, let version, let operations):
                try group.apply(operations, from: from, to: version, known: known)
            case .current(_, let version): try group.confirm(version)
            default: break
            }
        } catch is MirroredGroup.Interrupted {
            end(group, "renewed")
        } catch {
            loop.host.report(
                "Room '\(name)': a value of '\(group.selection)' doesn't fit, and is asked for "
                    + "anew: \(error)")
            end(group, "renewed")
        }
    }

    /// A group has its first value.
    private func give(_ new: SelectionGroup, of group: MirroredGroup) {
        let waiting = group.waiting.sorted()
        group.waiting = []
        for waiter in waiting {
            guard let guest = guests[waiter.guest], let ref = guest.wishes[waiter.wish]?.ref
            else { continue }
            guest.session.found(.success(Permitted(byOwner: new)), for: ref)
        }
        if new.isUnused { rest(group) }
    }

    /// Ends what clients have of a group, or wait for.
    func end(_ group: MirroredGroup, _ code: String) {
        unsubscribe(group)
        for subscription in group.group?.subscriptions ?? [] {
            subscription.subscriber.lapse(subscription, code)
        }
        let waiting = group.waiting.sorted()
        group.waiting = []
        for waiter in waiting {
            if let guest = guests[waiter.guest], let wish = guest.wishes[waiter.wish] {
                end(wish, of: guest, code)
            }
        }
    }

    // MARK: Groups that nobody has

    package func release(_ group: SelectionGroup) {
        if let group = groups[group.sub] { rest(group) }
    }

    /// A group is kept for a while, as clients reconnect.
    private func rest(_ group: MirroredGroup) {
        // Nobody is there to ask for it anew.
        if resumption != nil { return unsubscribe(group) }
        group.idleSince = loop.host.now
        idle.removeAll { $0 === group || $0.group?.isUnused == false }
        idle.append(group)
        while idle.count > limits.lingeringGroups
            || idle.count > 1
                && idle.reduce(0, { $0 + ($1.group?.idleSize ?? 0) }) > limits.lingeringBytes
        {
            unsubscribe(idle.removeFirst())
        }
        watchIdle()
    }

    private func watchIdle() {
        guard !isWatchingIdle, !idle.isEmpty else { return }
        isWatchingIdle = true
        loop.schedule(after: limits.lingerTime) { [weak self] in
            guard let self else { return }
            isWatchingIdle = false
            let now = loop.host.now
            while let first = idle.first, first.idleSince + limits.lingerTime <= now {
                idle.removeFirst()
                if first.group?.isUnused != false { unsubscribe(first) }
            }
            watchIdle()
        }
    }

    private func unsubscribe(_ group: MirroredGroup) {
        guard groups[group.sub] === group else { return }
        let isAsked = group.owner != nil
        forget(group)
        if isAsked, isConnected { send { $0.writeUnsubscribe(ref: group.sub) } }
    }

    func forget(_ group: MirroredGroup) {
        groups[group.sub] = nil
        if let owner = group.owner { owned[owner] = nil }
        group.isAsked(for: nil)
        isNotAwaited(.value(group.sub))
    }

    package func forgetLingering() {
        for group in idle where group.group?.isUnused != false { unsubscribe(group) }
        idle = []
    }
}
