package import StorecastWire

extension ClientSession {
    /// Takes one message; false if the connection can't go on and should be made anew.
    package func receive(_ message: UnsafeRawBufferPointer) -> Bool {
        guard phase == .greeting || phase == .live else { return true }
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
        announce(mirrors.all)
    }

    /// Dispatches go on after a hold.
    package func release() {
        isHeld = false
    }

    /// A server may send values of any size; what a client takes is bounded by its transport.
    private static var incoming: JSONLimits {
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
        case .snapshot(let sub, _, _), .patch(let sub, _, _, _), .current(let sub, _):
            return part(frame, of: sub)
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
            welcomed(welcome)
        case .subscribed(let subscribed): note(subscribed)
        case .reject(let reject): take(reject)
        case .lapse(let sub, let code): lapse(sub, code)
        case .error(let error): take(error)
        case .pong(let version): reached(at(version))
        case .bye(let bye): delegate?.bye(bye)
        }
        return true
    }

    private func at(_ version: UInt64) -> Position {
        Position(epoch: position?.epoch ?? "", version: version)
    }

    // MARK: Mirrors

    private func part(_ frame: ServerFrame, of sub: UInt64) -> Bool {
        guard transaction != nil else {
            // The first that is said of a selection is as of no earlier than all that was said before;
            // from then on a value comes to hold a dispatch only together with its settlement.
            let isFirst = mirrors[sub: sub]?.isAnswered == false
            if let (mirror, position) = apply(frame) {
                if isFirst { mirror.include(through: acknowledged?.seq ?? 0) }
                reached(position)
                announce([mirror], settled: takeSettled())
            }
            return true
        }
        guard transaction?.take(frame, of: sub, isFollowed: mirrors[sub: sub] != nil) == true else {
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
        let moved = transaction.parts.compactMap { apply($0)?.mirror }
        reached(position)
        for mirror in mirrors.all where mirror.sub != nil {
            mirror.advance(to: position)
            mirror.include(through: acknowledged?.seq ?? 0)
        }
        announce(moved, settled: takeSettled())
        return true
    }

    private func apply(_ frame: ServerFrame) -> (mirror: Mirror, position: Position)? {
        switch frame {
        case .snapshot(let sub, let version, let value):
            guard let mirror = mirrors[sub: sub] else { return nil }
            mirror.take(value.json, at: at(version))
            return (mirror, at(version))
        case .patch(let sub, let from, let version, let operations):
            guard let mirror = mirrors[sub: sub] else { return nil }
            if mirror.apply(operations, from: from, to: at(version)) {
                return (mirror, at(version))
            }
            delegate?.trouble("A patch of '\(mirror.selection)' did not fit; starting anew.")
            restart(mirror)
            return nil
        case .current(let sub, let version):
            guard let mirror = mirrors[sub: sub] else { return nil }
            if mirror.confirm(at(version)) { return (mirror, at(version)) }
            delegate?.trouble(
                "The server confirmed a value of '\(mirror.selection)' that isn't there; "
                    + "starting anew.")
            restart(mirror)
            return nil
        default: return nil
        }
    }

    private func note(_ subscribed: ServerFrame.Subscribed) {
        guard let mirror = mirrors[ref: subscribed.ref] else { return }
        mirror.subscribed(sub: subscribed.sub, tag: subscribed.tag)
        mirrors.note(sub: subscribed.sub, of: mirror)
    }

    private func lapse(_ sub: UInt64, _ code: String) {
        guard let mirror = mirrors[sub: sub] else { return }
        guard code != "renewed" else { return subscribe(mirror) }
        mirror.fail(Rejection(Rejection.Code(code), "The server ended the subscription."))
        announce([mirror], settled: takeSettled())
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
            // One that nobody is interested in any more may be refused too.
            guard let mirror = mirrors[ref: ref] else { return }
            mirror.fail(rejection)
            announce([mirror], settled: takeSettled())
        } else {
            delegate?.trouble("The server could not use a frame: \(rejection)")
        }
    }
}

extension Rejection {
    package init(_ reject: ServerFrame.Reject) {
        self.init(
            Code(reject.code), reject.title, detail: reject.detail,
            retryAfter: reject.retryAfter.map { .seconds(min(max($0, 0), 1e9)) },
            retryable: reject.retryable)
    }
}
