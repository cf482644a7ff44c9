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
        if let (frame, size) = asked.removeValue(forKey: ref) {
            parameterBytes -= size + frame.nameBytes
            return room.released(ref, of: self)
        }
        guard let subscription = subscriptions.removeValue(forKey: ref) else {
            return reply(
                .error(
                    FrameError(
                        .badReference, "No subscription has this ref.", ref: ref)))
        }
        subscription.refs.removeAll { $0 == ref }
        if subscription.refs.isEmpty { drop(subscription) }
        room.released(ref, of: self)
    }

    package func lapse(_ subscription: ServerSubscription, _ code: String) {
        for ref in subscription.refs { subscriptions[ref] = nil }
        drop(subscription)
        for ref in subscription.refs { room.released(ref, of: self) }
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
        if subscription.isPassedOn { link?.edge?.hasNoMore(subscription.group) }
        if subscription.isMirror { clients?.mirrored.remove(subscription.group.sub) }
        if subscription.group.isUnused { room.release(subscription.group) }
    }

    private func open(_ frame: ClientFrame.Subscribe) throws(FrameError) {
        try checkFree(frame.ref)
        guard subscriptions.count + asked.count < room.limits.subscriptions else {
            flushes.counts.reached("subscriptions")
            throw FrameError(
                .tooManySubscriptions, "The connection has as many subscriptions as it may.",
                detail: "It may have \(room.limits.subscriptions).", ref: frame.ref)
        }
        let longest = room.limits.parameterBytes
        let size = frame.params?.withBytes { $0.count } ?? 0
        let most = room.limits.parameterBytesPerConnection
        guard parameterBytes + size <= most, parameterBytes + frame.nameBytes <= most else {
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
        do throws(Rejection) {
            guard let group = try room.group(for: frame, of: self) else {
                // What else its message holds isn't kept for it.
                asked[frame.ref] = (
                    ClientFrame.Subscribe(ref: frame.ref, select: frame.select, at: frame.at), size
                )
                parameterBytes += size + frame.nameBytes
                return
            }
            // What was made for it took an encoding of every part of it.
            let isNew = group.value.isUnused
            spend(isNew ? Self.groupWork + 8 * group.value.size : group.value.size)
            attach(frame, to: group, size)
        } catch {
            throw refused(frame, error)
        }
    }

    private func checkFree(_ ref: UInt64) throws(FrameError) {
        guard subscriptions[ref] == nil, asked[ref] == nil else {
            throw FrameError(.badReference, "The ref is in use.", ref: ref)
        }
    }

    private func refused(_ frame: ClientFrame.Subscribe, _ rejection: Rejection) -> FrameError {
        link?.note(.selectionRefused(frame.select, rejection))
        let rejection = rejection.bounded
        return FrameError(
            FrameError.Code(rejection.code.description), rejection.title,
            detail: rejection.detail, ref: frame.ref)
    }

    /// The room has found what the client had asked for with this ref, or says why it can't have
    /// it.
    func found(_ group: Result<Permitted<SelectionGroup>, Rejection>, for ref: UInt64) {
        guard phase == .live, let (frame, size) = asked.removeValue(forKey: ref) else { return }
        parameterBytes -= size + frame.nameBytes
        switch group {
        case .success(let group):
            spend(group.value.size)
            attach(frame, to: group, size)
        case .failure(let rejection): reply(.error(refused(frame, rejection)))
        }
    }

    /// An edge wants the values of a group for its clients.
    func mirror(_ frame: ClientFrame.Mirror) {
        do throws(FrameError) {
            try checkFree(frame.ref)
            guard let group = clients?.group(frame.sub) else {
                throw FrameError(
                    .badReference, "None of the edge's clients has this selection.", ref: frame.ref)
            }
            spend(group.value.size)
            attach(
                ClientFrame.Subscribe(ref: frame.ref, select: "", at: frame.at), to: group, 0,
                isMirror: true)
        } catch {
            reply(.error(error))
        }
    }

    /// - Parameter size: that of the parameters.
    private func attach(
        _ frame: ClientFrame.Subscribe, to permitted: Permitted<SelectionGroup>, _ size: Int,
        isMirror: Bool = false
    ) {
        let group = permitted.value
        let known = isMirror ? nil : subscriptions.values.first { $0.group === group }
        let subscription = known ?? ServerSubscription(of: self, permitted)
        if known == nil {
            subscription.isMirror = isMirror
            subscription.isPassedOn = isPassedOn
            if isMirror { clients?.mirrored.insert(group.sub) }
            group.add(subscription)
            if subscription.isPassedOn { link?.edge?.has(permitted) }
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
        if !subscription.isPassedOn { queue(subscription) }
    }

    /// The version in the group's history that a client's copy is equal to, or nil.
    private func resumed(at point: ResumePoint?, _ group: SelectionGroup) -> UInt64? {
        guard let point, point.tag.isSameText(as: group.tag),
            point.position.epoch.isSameText(as: epoch),
            point.position.version <= room.position.version
        else { return nil }
        return group.resumption(at: point.position.version)
    }
}

extension ClientFrame.Subscribe {
    /// What is kept of it beside the parameters until a room that looks it up later has answered.
    fileprivate var nameBytes: Int { select.utf8.count + (at?.tag.utf8.count ?? 0) }
}
