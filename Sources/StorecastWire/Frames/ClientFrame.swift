/// A frame from a client to the server.
package enum ClientFrame: Sendable {
    /// Larger than the frames that come all the time, and therefore not beside them.
    indirect case hello(Hello)
    case subscribe(Subscribe)
    case unsubscribe(ref: UInt64)
    case dispatch(Dispatch)
    case authenticate(token: String)
    case ping
    /// Of an edge: it wants to be sent the values of a group that its clients have.
    case mirror(Mirror)
    /// Of an edge, for a client: who that is, by a newer token.
    case vouch(VouchedIdentity)

    package struct Hello: Sendable {
        package var proto: UInt64
        package var client: String
        /// The connection's number among those of the client.
        package var connection: UInt64?
        package var settled: UInt64?
        package var seen: Position?
        /// The term in which the client was then, if its server says terms.
        package var term: String?
        package var token: String?
        /// The newest form of parts of values that the client understands.
        package var parts: UInt64?
        /// The form in which an edge speaks for its clients; nil of a client.
        package var edge: UInt64?
        /// Who it is, as an edge says of a client.
        package var identity: VouchedIdentity?

        package init(
            proto: UInt64 = UInt64(ProtocolVersion.number), client: String,
            connection: UInt64? = nil, settled: UInt64? = nil, seen: Position? = nil,
            term: String? = nil, token: String? = nil, parts: UInt64? = nil, edge: UInt64? = nil,
            identity: VouchedIdentity? = nil
        ) {
            self.proto = proto
            self.client = client
            self.connection = connection
            self.settled = settled
            self.seen = seen
            self.term = term
            self.token = token
            self.parts = parts
            self.edge = edge
            self.identity = identity
        }
    }

    package struct Mirror: Sendable {
        package var ref: UInt64
        /// The number of the group, as `subscribed` said it to one of the edge's clients.
        package var sub: UInt64
        package var at: ResumePoint?

        package init(ref: UInt64, sub: UInt64, at: ResumePoint? = nil) {
            self.ref = ref
            self.sub = sub
            self.at = at
        }
    }

    package struct Subscribe: Sendable {
        package var ref: UInt64
        package var select: String
        package var params: JSONView?
        package var at: ResumePoint?

        package init(
            ref: UInt64, select: String, params: JSONView? = nil, at: ResumePoint? = nil
        ) {
            self.ref = ref
            self.select = select
            self.params = params
            self.at = at
        }
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

/// Who a client is, as a server has found out: an edge tells the owner, and each its client.
package struct VouchedIdentity: Sendable {
    package var id: String
    package var roles: [String]

    package init(id: String, roles: [String]) {
        self.id = id
        self.roles = roles
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
