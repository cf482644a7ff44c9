package import StorecastWire

/// Why a dispatch or a subscription has no effect.
public struct Rejection: Error, Equatable, Sendable {
    /// A kind of rejection: a short, stable word for programs. Applications may add their own.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The word on the wire.
        public var description: String

        /// A code of the application's own: lower-case words joined by hyphens.
        public init(_ word: String) {
            description = word
        }

        /// Whether both are the same word, byte by byte.
        public static func == (left: Code, right: Code) -> Bool {
            left.description.isSameText(as: right.description)
        }

        /// Hashes the word's bytes.
        public func hash(into hasher: inout Hasher) {
            description.hashText(into: &hasher)
        }

        /// The sender may not do this.
        public static let forbidden = Code("forbidden")
        /// The action's content can't be used.
        public static let invalid = Code("invalid")
        /// The action doesn't fit the state as it is now.
        public static let conflict = Code("conflict")
        /// The room doesn't take actions of this type.
        public static let unknownAction = Code("unknown-action")
        /// The room has no such selection.
        public static let unknownSelection = Code("unknown-selection")
        /// The selection's parameters are missing or of the wrong shape.
        public static let invalidParameters = Code("invalid-params")
        /// The server can't take actions now; the client sends it again by itself.
        public static let unavailable = Code("unavailable")
        /// The room has as many actions waiting as it holds; the client sends it again by itself.
        public static let busy = Code("busy")
        /// The server failed in a way that it doesn't explain to clients.
        public static let `internal` = Code("internal")
        /// Too long ago to tell whether the action was reduced.
        public static let outcomeUnknown = Code("outcome-unknown")
        /// A selection's value is larger than the client takes.
        public static let tooLarge = Code("too-large")
        /// The connection was closed for good before the outcome was known.
        public static let closed = Code("closed")
        /// The server doesn't know who this is.
        public static let unauthenticated = Code("unauthenticated")
    }

    /// The kind.
    public var code: Code
    /// One sentence for a person, the same for every rejection of the kind.
    public var title: String
    /// What exactly was wrong this time, or nil.
    public var detail: String?
    /// True if the same dispatch may succeed later; the client library then sends it again.
    public var retryable: Bool
    /// How long to wait before that, or nil if the client may choose.
    public var retryAfter: Duration?

    /// A final rejection.
    public init(_ code: Code, _ title: String, detail: String? = nil) {
        self.init(code, title, detail: detail, retryAfter: nil, retryable: false)
    }

    /// A rejection that may be retryable.
    public init(
        _ code: Code, _ title: String, detail: String? = nil, retryAfter: Duration?,
        retryable: Bool = true
    ) {
        self.code = code
        self.title = title
        self.detail = detail
        self.retryable = retryable
        self.retryAfter = retryAfter
    }
}

extension Rejection: CustomStringConvertible {
    /// The title and, if there is one, the detail.
    public var description: String {
        detail.map { "\(title) \($0)" } ?? title
    }
}

extension Rejection {
    /// What became of a dispatch was forgotten with its client.
    package static let forgotten = Rejection(
        .outcomeUnknown, "Too long ago to tell whether the action was reduced.",
        detail: "The client was forgotten since; look at the state.")

    /// The rejection with as much of its texts as a server keeps and sends: 64 bytes of the code,
    /// 512 of title and detail. They may repeat what a client wrote.
    package var bounded: Rejection {
        var rejection = self
        rejection.code.description = code.description.excerpt()
        rejection.title = title.excerpt(512)
        rejection.detail = detail?.excerpt(512)
        return rejection
    }
}

/// One sentence on why a value couldn't be decoded, naming the member; safe to show to a client.
package func explain(_ error: any Error) -> String {
    error is DecodingError ? JSONCoding.message(for: error) : "It can't be read."
}

extension Rejection {
    /// Writes the members of a final rejection into an object that is open.
    package func writeMembers(to writer: inout JSONWriter) {
        writer.writeProblem(code.description, title, detail: detail)
    }

    /// Reads a final rejection; nil if code or title are missing.
    package init?(_ view: JSONView) {
        guard let code = view["code"]?.string, let title = view["title"]?.string else { return nil }
        self.init(Code(code), title, detail: view["detail"]?.string)
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
