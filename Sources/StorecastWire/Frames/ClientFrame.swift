/// A frame from a client to the server.
package enum ClientFrame: Sendable {
    case hello(Hello)
    case subscribe(Subscribe)
    case unsubscribe(ref: UInt64)
    case dispatch(Dispatch)
    case authenticate(token: String)
    case ping

    package struct Hello: Sendable {
        package var proto: UInt64
        package var client: String
        /// The connection's number among those of the client.
        package var connection: UInt64?
        package var settled: UInt64?
        package var seen: Position?
        package var token: String?
        /// The newest form of parts of values that the client understands.
        package var parts: UInt64?

        package init(
            proto: UInt64 = UInt64(ProtocolVersion.number), client: String,
            connection: UInt64? = nil, settled: UInt64? = nil, seen: Position? = nil,
            token: String? = nil, parts: UInt64? = nil
        ) {
            self.proto = proto
            self.client = client
            self.connection = connection
            self.settled = settled
            self.seen = seen
            self.token = token
            self.parts = parts
        }
    }

    package struct Subscribe: Sendable {
        package var ref: UInt64
        package var select: String
        package var params: JSONView?
        package var at: ResumePoint?
    }

    package struct Dispatch: Sendable {
        package var seq: UInt64
        package var base: UInt64
        package var settled: UInt64?
        package var type: String
        package var payload: JSONView?
        /// The span of the client's that it belongs to (W3C Trace Context).
        package var traceparent: String?
    }
}

/// The position of a client's copy of a selection, and the tag of the selection it was made with.
package struct ResumePoint: Equatable, Sendable {
    package var position: Position
    package var tag: String

    package init(position: Position, tag: String) {
        self.position = position
        self.tag = tag
    }
}
