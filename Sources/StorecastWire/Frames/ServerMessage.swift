/// A message to clients, encoded once and shared by every connection that gets it: its text, behind
/// the header of an unmasked WebSocket text frame (RFC 6455, section 5.2).
///
/// The header is written here, and not by `StorecastWebSocket`: the message is made where there are
/// no sockets, and its text is written first, behind room for the longest header.
package final class ServerMessage: Sendable {
    private let storage: [UInt8]
    private let start: Int

    /// A message with the text that `write` appends; `capacity` is a guess of its size in bytes.
    package init<E: Error>(
        capacity: Int = 96, _ write: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        var writer = JSONWriter(reserving: capacity + Self.headroom)
        // Room for the header; of commas, as a writer adds none after a comma.
        writer.bytes.append(contentsOf: repeatElement(UInt8(ascii: ","), count: Self.headroom))
        try write(&writer)
        var bytes = writer.bytes
        start = Self.putHeader(into: &bytes)
        storage = bytes
    }

    /// The whole WebSocket frame, ready for a socket.
    package var frame: ArraySlice<UInt8> { storage[start...] }

    /// The text alone.
    package var text: ArraySlice<UInt8> { storage[Self.headroom...] }

    /// The size of the WebSocket frame in bytes.
    package var frameSize: Int { storage.count - start }

    private static let headroom = 10

    /// Writes the header right before the text; returns where it starts.
    private static func putHeader(into bytes: inout [UInt8]) -> Int {
        let length = bytes.count - headroom
        var start = headroom
        var rest = length
        let extra = length < 126 ? 0 : length < 65_536 ? 2 : 8
        for _ in 0..<extra {
            start -= 1
            bytes[start] = UInt8(truncatingIfNeeded: rest)
            rest >>= 8
        }
        bytes[start - 1] = extra == 0 ? UInt8(length) : extra == 2 ? 126 : 127
        bytes[start - 2] = 0x81
        return start - 2
    }
}

extension ServerMessage {
    package static func welcome(_ welcome: ServerFrame.Welcome) -> ServerMessage {
        ServerMessage(capacity: 256) { writer in
            writer.beginFrame("welcome")
            writer.member("proto", welcome.proto)
            writer.member("epoch", welcome.position.epoch)
            writer.member("v", welcome.position.version)
            if let term = welcome.term { writer.member("term", term) }
            writer.member("lastSeq", welcome.lastSeq)
            if !welcome.rejected.isEmpty {
                writer.write(key: "rejected")
                writer.beginArray()
                for reject in welcome.rejected {
                    writer.beginObject()
                    writer.writeMembers(of: reject)
                    writer.endObject()
                }
                writer.endArray()
            }
            writer.member("heartbeat", welcome.heartbeat)
            writer.write(key: "limits")
            writer.beginObject()
            writer.member("message", welcome.limits.message)
            writer.member("window", welcome.limits.window)
            writer.member("subscriptions", welcome.limits.subscriptions)
            writer.member("depth", welcome.limits.depth)
            writer.endObject()
            writer.member("server", welcome.server)
            if let identity = welcome.identity { writer.writeMember(identity) }
            if let parts = welcome.parts { writer.member("parts", parts) }
            writer.endObject()
        }
    }

    package static func subscribed(_ subscribed: ServerFrame.Subscribed) -> ServerMessage {
        ServerMessage { writer in
            writer.beginFrame("subscribed")
            writer.member("ref", subscribed.ref)
            writer.member("sub", subscribed.sub)
            writer.member("tag", subscribed.tag)
            writer.member("bytes", subscribed.bytes)
            writer.endObject()
        }
    }

    /// A snapshot of the value that `write` writes, of about `size` bytes; with its exact size.
    package static func snapshot<E: Error>(
        sub: UInt64, version: UInt64, size: Int, _ write: (inout JSONWriter) throws(E) -> Void
    ) throws(E) -> (message: ServerMessage, size: Int) {
        var exactly = 0
        let message = try ServerMessage(capacity: 64 + size) { (writer) throws(E) in
            writer.beginFrame("snapshot")
            writer.member("sub", sub)
            writer.member("v", version)
            writer.write(key: "value")
            exactly = writer.bytes.count
            try write(&writer)
            exactly = writer.bytes.count - exactly
            writer.endObject()
        }
        return (message, exactly)
    }

    /// This snapshot, with the patches that have led to its value; each applies to the value of the
    /// version `from`, and has its operations as JSON text without the array's brackets.
    package func with(
        history: some Sequence<(from: UInt64, operations: [UInt8])>
    ) -> ServerMessage {
        ServerMessage(capacity: text.count + 1024) { writer in
            writer.raw(text.dropLast())
            writer.write(key: "history")
            writer.beginArray()
            for (from, operations) in history {
                writer.beginObject()
                writer.member("from", from)
                writer.write(key: "ops")
                writer.beginArray()
                writer.raw(operations)
                writer.endArray()
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
    }

    /// This message, behind the number that an edge has for the client that it is for, as
    /// ``PassedMessage`` has it.
    package func prefixed(by number: UInt64) -> ServerMessage {
        ServerMessage(capacity: text.count + 24) { writer in
            writer.raw(Array("\(number) ".utf8))
            writer.raw(text)
        }
    }

    /// A patch whose operations are the runs of operations in `operations`, one after the other;
    /// each is JSON text without the array's brackets.
    package static func patch(
        sub: UInt64, from: UInt64, version: UInt64, operations: some Collection<[UInt8]>
    ) -> ServerMessage {
        ServerMessage(capacity: 80 + operations.reduce(0) { $0 + $1.count + 1 }) { writer in
            writer.beginFrame("patch")
            writer.member("sub", sub)
            writer.member("from", from)
            writer.member("v", version)
            writer.write(key: "ops")
            writer.beginArray()
            for run in operations { writer.write(raw: run) }
            writer.endArray()
            writer.endObject()
        }
    }

    package static func current(sub: UInt64, version: UInt64) -> ServerMessage {
        ServerMessage { writer in
            writer.beginFrame("current")
            writer.member("sub", sub)
            writer.member("v", version)
            writer.endObject()
        }
    }

    /// - Parameter following: how many messages to an edge's clients take effect with the values.
    package static func transaction(
        version: UInt64, count: Int, acked: UInt64?, following: Int? = nil
    ) -> ServerMessage {
        ServerMessage { writer in
            writer.beginFrame("transaction")
            writer.member("v", version)
            writer.member("count", UInt64(count))
            if let acked { writer.member("acked", acked) }
            if let following { writer.member("following", UInt64(following)) }
            writer.endObject()
        }
    }

    package static func reject(_ reject: ServerFrame.Reject) -> ServerMessage {
        ServerMessage(capacity: 192) { writer in
            writer.beginFrame("reject")
            writer.writeMembers(of: reject)
            writer.member("retryable", reject.retryable)
            if let retryAfter = reject.retryAfter {
                writer.member("retryAfter", retryAfter)
            }
            writer.endObject()
        }
    }

    package static func lapse(sub: UInt64, code: String) -> ServerMessage {
        ServerMessage { writer in
            writer.beginFrame("lapse")
            writer.member("sub", sub)
            writer.member("code", code)
            writer.endObject()
        }
    }

    package static func error(_ error: FrameError) -> ServerMessage {
        ServerMessage(capacity: 192) { writer in
            writer.beginFrame("error")
            writer.writeProblem(error.code.word, error.title, detail: error.detail)
            if let ref = error.ref { writer.member("ref", ref) }
            if let seq = error.seq { writer.member("seq", seq) }
            if let index = error.index { writer.member("index", UInt64(index)) }
            writer.endObject()
        }
    }

    package static func pong(version: UInt64) -> ServerMessage {
        ServerMessage { writer in
            writer.beginFrame("pong")
            writer.member("v", version)
            writer.endObject()
        }
    }

    package static func term(_ id: String) -> ServerMessage {
        ServerMessage { writer in
            writer.beginFrame("term")
            writer.member("term", id)
            writer.endObject()
        }
    }

    package static func renew(within seconds: Double) -> ServerMessage {
        ServerMessage { writer in
            writer.beginFrame("renew")
            writer.member("within", seconds)
            writer.endObject()
        }
    }

    package static func bye(_ bye: ServerFrame.Bye) -> ServerMessage {
        ServerMessage(capacity: 160) { writer in
            writer.beginFrame("bye")
            writer.member("code", bye.code)
            writer.member("title", bye.title)
            writer.member("reconnect", bye.reconnect)
            writer.member("after", bye.after)
            writer.member("jitter", bye.jitter)
            writer.endObject()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func writeMembers(of reject: ServerFrame.Reject) {
        member("seq", reject.seq)
        writeProblem(reject.code, reject.title, detail: reject.detail)
    }
}

extension JSONWriter {
    /// Writes the members `code`, `title` and `detail` into an open object: a rejection or error,
    /// in frames and journals alike.
    package mutating func writeProblem(_ code: String, _ title: String, detail: String?) {
        member("code", code)
        member("title", title)
        if let detail {
            member("detail", detail)
        }
    }
}
