/// A frame from the server to a client.
package enum ServerFrame: Sendable {
    case welcome(Welcome)
    case subscribed(Subscribed)
    case snapshot(sub: UInt64, version: UInt64, value: JSONView)
    case patch(sub: UInt64, from: UInt64, version: UInt64, operations: JSONView)
    case current(sub: UInt64, version: UInt64)
    case transaction(version: UInt64, count: UInt64, acked: UInt64?)
    case reject(Reject)
    case lapse(sub: UInt64, code: String)
    case error(FrameError)
    case pong(version: UInt64)
    /// Versions that the client hears of from now on are of this term.
    case term(String)
    /// The client should show a newer token within so many seconds.
    case renew(within: Double)
    case bye(Bye)

    package struct Welcome: Sendable {
        package var proto: UInt64 = UInt64(ProtocolVersion.number)
        package var position: Position
        /// In which term that is; nil if the room's journal has none.
        package var term: String?
        package var lastSeq: UInt64
        package var rejected: [Reject] = []
        /// Seconds of silence after which a client pings.
        package var heartbeat: UInt64
        package var limits: Limits
        /// Name and version of the server's software.
        package var server: String
        /// Who the client is to the server; nil if it doesn't say.
        package var identity: VouchedIdentity?
        /// The form in which large values come in parts; nil if they don't.
        package var parts: UInt64?

        package init(
            position: Position, term: String? = nil, lastSeq: UInt64, rejected: [Reject] = [],
            heartbeat: UInt64,
            limits: Limits, server: String, identity: VouchedIdentity? = nil,
            parts: UInt64? = nil
        ) {
            self.position = position
            self.term = term
            self.lastSeq = lastSeq
            self.rejected = rejected
            self.heartbeat = heartbeat
            self.limits = limits
            self.server = server
            self.identity = identity
            self.parts = parts
        }
    }

    /// The limits that a client has to know.
    package struct Limits: Sendable, Equatable {
        /// The largest message from a client, in bytes.
        package var message: UInt64
        /// How many dispatches may be without an outcome.
        package var window: UInt64
        /// How many subscriptions a connection may have.
        package var subscriptions: UInt64
        /// How deep arrays and objects may be nested in a message.
        package var depth: UInt64

        package init(message: UInt64, window: UInt64, subscriptions: UInt64, depth: UInt64) {
            self.message = message
            self.window = window
            self.subscriptions = subscriptions
            self.depth = depth
        }
    }

    package struct Subscribed: Sendable, Equatable {
        package var ref: UInt64
        package var sub: UInt64
        package var tag: String
        /// The size of the value's JSON text now, in bytes.
        package var bytes: UInt64

        package init(ref: UInt64, sub: UInt64, tag: String, bytes: UInt64) {
            self.ref = ref
            self.sub = sub
            self.tag = tag
            self.bytes = bytes
        }
    }

    package struct Reject: Sendable, Equatable {
        package var seq: UInt64
        package var code: String
        package var title: String
        package var detail: String?
        package var retryable = false
        /// Seconds.
        package var retryAfter: Double?

        package init(
            seq: UInt64, code: String, title: String, detail: String? = nil,
            retryable: Bool = false, retryAfter: Double? = nil
        ) {
            self.seq = seq
            self.code = code
            self.title = title
            self.detail = detail
            self.retryable = retryable
            self.retryAfter = retryAfter
        }
    }

    package struct Bye: Sendable, Equatable {
        package var code: String
        package var title: String
        package var reconnect: Bool
        /// Seconds to wait at least before connecting again.
        package var after: Double
        /// The most seconds to add at random.
        package var jitter: Double

        package init(
            code: String, title: String, reconnect: Bool, after: Double = 0, jitter: Double = 0
        ) {
            self.code = code
            self.title = title
            self.reconnect = reconnect
            self.after = after
            self.jitter = jitter
        }
    }
}
