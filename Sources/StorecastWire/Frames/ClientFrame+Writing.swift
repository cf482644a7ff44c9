extension JSONWriter {
    /// Appends a `hello` frame.
    package mutating func write(_ hello: ClientFrame.Hello) {
        beginFrame("hello")
        write(key: "proto")
        write(hello.proto)
        write(key: "client")
        write(hello.client)
        if let connection = hello.connection {
            write(key: "connection")
            write(connection)
        }
        if let settled = hello.settled {
            write(key: "settled")
            write(settled)
        }
        if let seen = hello.seen {
            write(key: "seen")
            beginObject()
            writeMembers(of: seen)
            endObject()
        }
        if let term = hello.term { member("term", term) }
        if let token = hello.token {
            write(key: "token")
            write(token)
        }
        if let parts = hello.parts { member("parts", parts) }
        if let edge = hello.edge { member("edge", edge) }
        if let identity = hello.identity { writeMember(identity) }
        endObject()
    }

    /// Appends a `vouch` frame.
    package mutating func write(_ identity: VouchedIdentity) {
        beginFrame("vouch")
        writeMember(identity)
        endObject()
    }

    /// Appends the member `identity`.
    mutating func writeMember(_ identity: VouchedIdentity) {
        write(key: "identity")
        beginObject()
        member("id", identity.id)
        write(key: "roles")
        beginArray()
        for role in identity.roles { write(role) }
        endArray()
        endObject()
    }

    /// Appends a `mirror` frame.
    package mutating func write(_ mirror: ClientFrame.Mirror) {
        beginFrame("mirror")
        member("ref", mirror.ref)
        member("sub", mirror.sub)
        write(mirror.at)
        endObject()
    }

    private mutating func write(_ at: ResumePoint?) {
        guard let at else { return }
        write(key: "at")
        beginObject()
        writeMembers(of: at.position)
        write(key: "tag")
        write(at.tag)
        endObject()
    }

    /// Appends a `subscribe` frame.
    package mutating func writeSubscribe(
        ref: UInt64, select: String, params: JSON?, at: ResumePoint?
    ) {
        beginFrame("subscribe")
        write(key: "ref")
        write(ref)
        write(key: "select")
        write(select)
        if let params {
            write(key: "params")
            write(params)
        }
        write(at)
        endObject()
    }

    /// Appends an `unsubscribe` frame.
    package mutating func writeUnsubscribe(ref: UInt64) {
        beginFrame("unsubscribe")
        write(key: "ref")
        write(ref)
        endObject()
    }

    /// Appends a `dispatch` frame; `payload` is JSON text, empty for none.
    package mutating func writeDispatch(
        seq: UInt64, base: UInt64, settled: UInt64, type: String, payload: [UInt8],
        traceparent: String? = nil
    ) {
        beginFrame("dispatch")
        write(key: "seq")
        write(seq)
        write(key: "base")
        write(base)
        if settled > 0 {
            write(key: "settled")
            write(settled)
        }
        write(key: "action")
        beginObject()
        write(key: "type")
        write(type)
        if !payload.isEmpty {
            write(key: "payload")
            raw(payload)
        }
        endObject()
        if let traceparent {
            write(key: "traceparent")
            write(traceparent)
        }
        endObject()
    }

    /// Appends an `authenticate` frame.
    package mutating func writeAuthenticate(token: String) {
        beginFrame("authenticate")
        write(key: "token")
        write(token)
        endObject()
    }

    /// Appends a `ping` frame.
    package mutating func writePing() {
        beginFrame("ping")
        endObject()
    }

    mutating func beginFrame(_ op: StaticString) {
        beginObject()
        write(key: "op")
        write(op.description)
    }

    private mutating func writeMembers(of position: Position) {
        write(key: "epoch")
        write(position.epoch)
        write(key: "v")
        write(position.version)
    }
}
