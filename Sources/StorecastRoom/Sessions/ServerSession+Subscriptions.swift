import StorecastSync
import StorecastWire

extension ServerSession {
    func subscribe(_ frame: ClientFrame.Subscribe) {
        do throws(FrameError) {
            try open(frame)
        } catch {
            reply(.error(error))
        }
    }

    func unsubscribe(_ ref: UInt64) {
        guard let subscription = subscriptions.removeValue(forKey: ref) else {
            return reply(
                .error(
                    FrameError(
                        .badReference, "No subscription has this ref.", ref: ref)))
        }
        subscription.refs.removeAll { $0 == ref }
        if subscription.refs.isEmpty { drop(subscription) }
    }

    package func lapse(_ subscription: ServerSubscription, _ code: String) {
        for ref in subscription.refs { subscriptions[ref] = nil }
        drop(subscription)
        reply(.lapse(sub: subscription.group.sub, code: code))
    }

    /// The selection's value can't be written.
    package func lapse(_ subscription: ServerSubscription, _ error: any Error) {
        room.report(error, of: subscription.group)
        lapse(subscription, Rejection.Code.internal.description)
    }

    /// Takes the subscription out of its group.
    func drop(_ subscription: ServerSubscription) {
        guard !subscription.isDropped else { return }
        subscription.isDropped = true
        parameterBytes -= subscription.parameterBytes
        unqueue(subscription)
        endParts(of: subscription)
        subscription.group.remove(subscription)
        if subscription.group.subscriptions.isEmpty { room.release(subscription.group) }
    }

    private func open(_ frame: ClientFrame.Subscribe) throws(FrameError) {
        guard subscriptions[frame.ref] == nil else {
            throw FrameError(.badReference, "The ref is in use.", ref: frame.ref)
        }
        guard subscriptions.count < room.limits.subscriptions else {
            flushes.counts.reached("subscriptions")
            throw FrameError(
                .tooManySubscriptions, "The connection has as many subscriptions as it may.",
                detail: "It may have \(room.limits.subscriptions).", ref: frame.ref)
        }
        let longest = room.limits.parameterBytes
        let size = frame.params?.withBytes { $0.count } ?? 0
        let most = room.limits.parameterBytesPerConnection
        guard parameterBytes + size <= most else {
            flushes.counts.reached("parameter-bytes-per-connection")
            throw FrameError(
                .tooManySubscriptions, "The connection has as many subscriptions as it may.",
                detail: "Their parameters may take \(most) bytes together.", ref: frame.ref)
        }
        guard size <= longest else {
            flushes.counts.reached("parameter-bytes")
            throw FrameError(
                FrameError.Code(Rejection.Code.invalidParameters.description),
                "The selection's parameters are too large.",
                detail: "They may take \(longest) bytes.", ref: frame.ref)
        }
        // They are decoded, written anew and looked up.
        spend(8 * size)
        let group: Permitted<SelectionGroup>
        do throws(Rejection) {
            group = try room.group(for: frame.select, frame.params, viewer: identity)
        } catch {
            link?.note(.selectionRefused(frame.select, error))
            let error = error.bounded
            throw FrameError(
                FrameError.Code(error.code.description), error.title, detail: error.detail,
                ref: frame.ref)
        }
        // What was made for it took an encoding of every part of it.
        let isNew = group.value.subscriptions.isEmpty
        spend(isNew ? Self.groupWork + 8 * group.value.size : group.value.size)
        attach(frame, to: group, size)
    }

    /// - Parameter size: that of the parameters.
    private func attach(
        _ frame: ClientFrame.Subscribe, to permitted: Permitted<SelectionGroup>, _ size: Int
    ) {
        let group = permitted.value
        let known = subscriptions.values.first { $0.group === group }
        let subscription = known ?? ServerSubscription(of: self, permitted)
        if known == nil {
            group.add(subscription)
            subscription.parameterBytes = size
            parameterBytes += size
            subscription.position = resumed(at: frame.at, group)
        }
        subscription.refs.append(frame.ref)
        subscription.wantsCurrent = true
        subscriptions[frame.ref] = subscription
        reply(
            .subscribed(
                ServerFrame.Subscribed(
                    ref: frame.ref, sub: group.sub, tag: group.tag, bytes: UInt64(group.size))))
        queue(subscription)
    }

    /// The version in the group's history that a client's copy is equal to, or nil.
    private func resumed(at point: ResumePoint?, _ group: SelectionGroup) -> UInt64? {
        guard let point, point.tag.isSameText(as: group.tag),
            point.position.epoch.isSameText(as: room.position.epoch),
            point.position.version <= room.position.version
        else { return nil }
        return group.resumption(at: point.position.version)
    }
}
