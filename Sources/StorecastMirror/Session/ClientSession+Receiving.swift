package import StorecastSync
import StorecastWire

extension ClientSession {
    /// Takes one message; false if the connection can't go on and should be made anew.
    package func receive(_ message: UnsafeRawBufferPointer) -> Bool {
        guard phase == .greeting || phase == .live else { return true }
        if SnapshotPart.begins(message) { return takePart(message) }
        do throws(FrameError) {
            return take(try ServerFrame(reading: message, limits: Self.incoming))
        } catch  where error.code == .unknownOp {
            // A later version of the server may say more than this client understands.
            return true
        } catch {
            delegate?.trouble("The server sent what is no frame: \(error.detail ?? error.title)")
            return false
        }
    }

    /// Tells every mirror that nothing more will come.
    package func failMirrors(_ rejection: Rejection) {
        for mirror in mirrors.all { mirror.fail(rejection) }
        // Who may not enter the room may not have anything of it.
        if rejection.code == .forbidden { try? wipeCache() }
        announce(mirrors.all)
    }

    /// Dispatches go on after a hold.
    package func release() {
        isHeld = false
    }

    /// A server may send values of any size; what a client takes is bounded by its transport.
    static var incoming: JSONLimits {
        var limits = JSONLimits()
        limits.bytes = .max
        limits.depth = 512
        return limits
    }

    private func take(_ frame: ServerFrame) -> Bool {
        if phase == .greeting {
            switch frame {
            case .welcome, .bye, .error: break
            default:
                delegate?.trouble("The server spoke before its welcome.")
                return false
            }
        }
        switch frame {
        case .snapshot(let sub, let version, _), .patch(let sub, _, let version, _),
            .current(let sub, let version):
            guard !interruptsParts(sub) else {
                delegate?.trouble("The server sent a change of a value that was still coming.")
                return false
            }
            return take(MirrorPart(sub: sub, position: at(version), content: frame))
        case .transaction(let version, let count, let acked):
            guard transaction == nil else {
                delegate?.trouble("The server began a transaction within another.")
                return false
            }
            transaction = IncomingTransaction(version: version, count: count, acked: acked)
            return finishTransaction()
        case .welcome(let welcome):
            guard phase == .greeting else {
                delegate?.trouble("The server said welcome twice.")
                return false
            }
            guard (welcome.parts ?? SnapshotPart.form) == SnapshotPart.form else {
                delegate?.trouble("The server sends parts in a form that this client didn't offer.")
                return false
            }
            welcomed(welcome)
        case .subscribed(let subscribed): mirrors.note(subscribed)
        case .reject(let reject): take(reject)
        case .lapse(let sub, let code): lapse(sub, code)
        case .error(let error): take(error)
        case .pong(let version): reached(at(version))
        case .term(let id): term = id
        case .renew(let seconds):
            delegate?.renew(within: .seconds(min(max(seconds, 0), 1e9)))
        case .bye(var bye):
            // What replaced this connection may be one of the client's own that was held up.
            if bye.code == CloseCode.replaced.word, isUnsure { bye.reconnect = true }
            delegate?.bye(bye)
        }
        return true
    }

    private func at(_ version: UInt64) -> Position {
        Position(epoch: position?.epoch ?? "", version: version)
    }

    // MARK: Mirrors

    private func take(_ part: MirrorPart) -> Bool {
        guard transaction != nil else {
            // The first value of a selection has the effects of everything that was settled before.
            // Those of later dispatches come in one transaction with their settlement.
            let first = mirrors[sub: part.sub].filter { !$0.isAnswered }
            let moved = apply(part)
            guard !moved.isEmpty else { return true }
            for mirror in first { mirror.include(through: acknowledged?.seq ?? 0) }
            reached(part.position)
            announce(moved, settled: takeSettled())
            return true
        }
        let isFollowed = !mirrors[sub: part.sub].isEmpty
        guard transaction?.take(part, isFollowed: isFollowed) == true else {
            delegate?.trouble("The server named a selection twice in one transaction.")
            return false
        }
        return finishTransaction()
    }

    /// Makes all parts of a transaction and its settlements take effect when the last has come.
    private func finishTransaction() -> Bool {
        guard let transaction, transaction.isComplete else { return true }
        self.transaction = nil
        let position = at(transaction.version)
        if let acked = transaction.acked {
            outbox.withLock { $0.acknowledge(acked) }
            acknowledged = (max(acked, acknowledged?.seq ?? 0), position)
        }
        var moved = transaction.parts.flatMap { apply($0) }
        reached(position)
        // While outcomes wait for a mirror, the others have to show by themselves what they hold.
        let isHeldUp = mirrors.all.contains(where: \.isAwaited)
        for mirror in mirrors.all where mirror.sub != nil {
            mirror.advance(to: position)
            let holdsMore = mirror.include(through: acknowledged?.seq ?? 0)
            if holdsMore, isHeldUp, !moved.contains(where: { $0 === mirror }) {
                moved.append(mirror)
            }
        }
        announce(moved, settled: takeSettled())
        return true
    }

    /// Gives a part to its mirrors; returns those that have moved.
    private func apply(_ part: MirrorPart) -> [Mirror] {
        let mirrors = mirrors[sub: part.sub]
        if let (value, version) = takeParted(for: part) {
            for mirror in mirrors { mirror.take(value, at: at(version)) }
        }
        // All of them take it: they have one value.
        let misfits = mirrors.filter { !$0.take(part) }
        guard !misfits.isEmpty else { return mirrors }
        let selection = mirrors.first?.selection ?? ""
        if case .patch = part.content {
            delegate?.trouble("A patch of '\(selection)' did not fit; starting anew.")
        } else {
            delegate?.trouble(
                "The server confirmed a value of '\(selection)' that isn't there; starting anew.")
        }
        restart(mirrors)
        return []
    }

    private func lapse(_ sub: UInt64, _ code: String) {
        let mirrors = mirrors[sub: sub]
        endParts(of: sub)
        guard code != "renewed" else { return mirrors.forEach { subscribe($0) } }
        let rejection = Rejection(
            Rejection.Code(code), "The server ended the subscription.")
        for mirror in mirrors { mirror.fail(rejection) }
        announce(mirrors, settled: takeSettled())
        saveIfForbidden(rejection)
    }

    // MARK: Dispatches

    private func take(_ reject: ServerFrame.Reject) {
        guard reject.retryable else {
            outbox.withLock { $0.reject(reject.seq, Rejection(reject)) }
            return announce(settled: takeSettled())
        }
        outbox.withLock { $0.goBack(to: reject.seq) }
        // One timer at a time, however often it is said.
        guard !isHeld else { return }
        isHeld = true
        delegate?.held(for: .seconds(min(max(reject.retryAfter ?? 1, 0.01), 3600)))
    }

    private func take(_ error: FrameError) {
        let rejection = Rejection(
            Rejection.Code(error.code.word), error.title, detail: error.detail)
        if let ref = error.ref {
            // The mirror may have ended meanwhile.
            guard let mirror = mirrors[ref: ref] else { return }
            mirror.fail(rejection)
            announce([mirror], settled: takeSettled())
            saveIfForbidden(rejection)
        } else {
            delegate?.trouble("The server could not use a frame: \(rejection)")
        }
    }
}
