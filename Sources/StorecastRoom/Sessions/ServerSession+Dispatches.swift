import StorecastWire

extension ServerSession {
    func receive(_ dispatch: ClientFrame.Dispatch) {
        switch dispatches.admit(dispatch.seq, window: room.limits.window) {
        case .take: room.receive(dispatch, from: self)
        case .ignore: break
        case .violation(let title): violate(title)
        }
    }

    /// The outcome of the client's dispatch `seq`, from the log.
    func settled(_ seq: UInt64, _ rejection: Rejection?) {
        if let rejection { reply(.reject(ServerFrame.Reject(rejection, seq: seq))) }
        // Asked for once, however much is settled until then.
        let isAskedFor = dispatches.hasAcknowledgement
        dispatches.settle(seq)
        if !isAskedFor { loop.schedule(flushOf: self) }
    }

    /// The dispatch had no effect and may come again.
    ///
    /// One that an earlier connection of the client had sent comes by itself, or has come.
    func refused(_ seq: UInt64, _ rejection: Rejection) {
        guard dispatches.goBack(to: seq) else { return }
        reply(.reject(ServerFrame.Reject(rejection, seq: seq)))
    }
}

extension ServerFrame.Reject {
    init(_ rejection: Rejection, seq: UInt64) {
        self.init(
            seq: seq, code: rejection.code.description, title: rejection.title,
            detail: rejection.detail, retryable: rejection.retryable,
            retryAfter: rejection.retryAfter.map { $0 / .seconds(1) })
    }
}
