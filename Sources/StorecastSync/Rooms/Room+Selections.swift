package import StorecastWire

extension Room {
    package func group(
        for selection: String, _ params: JSONView?, viewer: Identity
    ) throws(Rejection) -> SelectionGroup {
        guard let known = definition.selections[selection] else {
            throw Rejection(
                .unknownSelection, "The room has no such selection.",
                detail: "'\(selection.excerpt())' is none of "
                    + definition.selections.keys.sorted().joined(separator: ", ") + ".")
        }
        let resolved = try known.resolve(params, viewer)
        try check(viewer, resolved.key)
        if let group = groups[resolved.key] { return group }
        guard let state = store.state else { throw Self.noState }
        let evaluation = resolved.evaluation(state)
        do {
            let group = SelectionGroup(
                key: resolved.key, sub: groups.nextSub(), tag: tag(of: resolved.key, params),
                value: try evaluation.encoded(), version: position.version,
                historyBytes: limits.historyBytes)
            groups.insert(group, evaluation)
            return group
        } catch {
            throw rejection(for: error)
        }
    }

    package func release(_ group: SelectionGroup) {
        groups.remove(group)
    }

    package func admits(_ viewer: Identity, to key: GroupKey) -> Bool {
        do {
            try check(viewer, key)
            return true
        } catch {
            return false
        }
    }

    /// Brings every group to the room's version; one whose value can't be encoded ends.
    func evaluateGroups() {
        guard let state = store.state else { return }
        var failed: [SelectionGroup] = []
        for (group, evaluation) in groups.live where evaluation.update(state) {
            do {
                group.update(try evaluation.encoded(), at: position.version)
            } catch {
                context.host.report(
                    "Selection '\(group.key.selection)' of room '\(name)' can't be encoded: "
                        + "\(error)")
                failed.append(group)
            }
        }
        for group in failed {
            for subscription in group.subscriptions {
                subscription.session.lapse(subscription, Rejection.Code.internal.description)
            }
        }
    }

    private func check(_ viewer: Identity, _ key: GroupKey) throws(Rejection) {
        guard let check = definition.selectionGuards[key.selection] else { return }
        do {
            try check(key.parameters, viewer)
        } catch {
            throw rejection(for: error)
        }
    }

    /// The same in every process for the same selection, parameters and viewer.
    private func tag(of key: GroupKey, _ params: JSONView?) -> String {
        var hash = MixingHash(seed: 1)
        let params = params.map { String(decoding: $0.json.canonicalBytes, as: UTF8.self) }
        var parts = [key.selection, params ?? ""]
        if let viewer = key.viewer { parts += [viewer.id] + viewer.roles.sorted() }
        for part in parts {
            hash.mix(UInt64(part.utf8.count))
            for byte in part.utf8 { hash.mix(UInt64(byte)) }
        }
        return String(hash.finish(), radix: 36)
    }

    private static var noState: Rejection {
        Rejection(.internal, "The room has no state yet.")
    }
}
