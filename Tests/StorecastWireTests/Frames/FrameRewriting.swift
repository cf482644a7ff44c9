import StorecastWire
import Testing

/// Writes frames that were read, with the writers that clients and servers use.
enum FrameRewriting {
    static func text(of frame: ClientFrame) -> [UInt8] {
        var writer = JSONWriter()
        switch frame {
        case .hello(let hello): writer.write(hello)
        case .subscribe(let frame):
            writer.writeSubscribe(
                ref: frame.ref, select: frame.select, params: frame.params?.json, at: frame.at)
        case .unsubscribe(let ref): writer.writeUnsubscribe(ref: ref)
        case .dispatch(let dispatch):
            let payload = dispatch.payload?.withBytes { [UInt8]($0) }
            writer.writeDispatch(
                seq: dispatch.seq, base: dispatch.base, settled: dispatch.settled ?? 0,
                type: dispatch.type, payload: payload ?? [])
        case .authenticate(let token): writer.writeAuthenticate(token: token)
        case .ping: writer.writePing()
        case .mirror(let mirror): writer.write(mirror)
        case .vouch(let identity): writer.write(identity)
        }
        return writer.bytes
    }

    static func message(of frame: ServerFrame) -> ServerMessage {
        switch frame {
        case .welcome(let welcome): .welcome(welcome)
        case .subscribed(let subscribed): .subscribed(subscribed)
        case .snapshot(let sub, let version, let value):
            ServerMessage.snapshot(sub: sub, version: version, size: 0) { $0.write(value) }.message
        case .patch(let sub, let from, let version, let operations):
            .patch(
                sub: sub, from: from, version: version,
                operations: operations.elements.map { $0.withBytes { [UInt8]($0) } })
        case .current(let sub, let version): .current(sub: sub, version: version)
        case .transaction(let version, let count, let acked):
            .transaction(version: version, count: Int(count), acked: acked)
        case .reject(let reject): .reject(reject)
        case .lapse(let sub, let code): .lapse(sub: sub, code: code)
        case .error(let error): .error(error)
        case .pong(let version): .pong(version: version)
        case .term(let id): .term(id)
        case .renew(let seconds): .renew(within: seconds)
        case .bye(let bye): .bye(bye)
        }
    }
}
