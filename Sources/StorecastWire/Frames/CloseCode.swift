/// Why a connection ends: the WebSocket close codes that Storecast uses (RFC 6455, section 7.4).
///
/// 4000–4099 ask the client to connect again, 4100–4199 tell it to stop.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    /// The number in the close frame.
    public let rawValue: UInt16

    /// A close code by its number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The client is done.
    public static let normal = CloseCode(rawValue: 1000)
    /// The server shuts down or moves; connect again.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// A message that isn't text.
    public static let binaryMessage = CloseCode(rawValue: 1003)
    /// A message that isn't UTF-8.
    public static let notUTF8 = CloseCode(rawValue: 1007)
    /// A message above `limits.message`.
    public static let tooBig = CloseCode(rawValue: 1009)
    /// The server failed; connect again.
    public static let internalError = CloseCode(rawValue: 1011)

    /// The server hasn't reached the position that the client has seen; connect again.
    public static let behind = CloseCode(rawValue: 4000)
    /// No `hello` came in time; connect again.
    public static let helloTimeout = CloseCode(rawValue: 4001)
    /// The server has as many rooms or connections as it takes; connect again later.
    public static let full = CloseCode(rawValue: 4002)
    /// The client's identity has expired, and it hasn't shown a newer token; connect again.
    public static let expired = CloseCode(rawValue: 4003)
    /// The server has revoked the client's identity; connect again, with another token.
    public static let revoked = CloseCode(rawValue: 4004)
    /// The server has more to do than it takes; connect again later.
    public static let busy = CloseCode(rawValue: 4005)

    /// A frame that the protocol doesn't allow there.
    public static let protocolViolation = CloseCode(rawValue: 4100)
    /// The token is missing, wrong or no longer valid.
    public static let unauthenticated = CloseCode(rawValue: 4101)
    /// The identity may not use this client id or room.
    public static let forbidden = CloseCode(rawValue: 4102)
    /// The server doesn't speak the client's version of the protocol.
    public static let unsupportedVersion = CloseCode(rawValue: 4103)
    /// Another connection has said hello with the same client id.
    public static let replaced = CloseCode(rawValue: 4104)
    /// The URL's path names no room.
    public static let noRoom = CloseCode(rawValue: 4105)
    /// Somebody who runs the server has ended the connection.
    public static let kicked = CloseCode(rawValue: 4106)

    /// Whether a client connects again after this code.
    ///
    /// A code that isn't in the table is taken for a network failure, so the client tries again.
    public var allowsReconnect: Bool {
        switch rawValue {
        case 1000, 1003, 1007, 1008, 1009, 1010, 4100...4199: false
        default: true
        }
    }

    /// The word in `bye.code`.
    public var word: String {
        Self.table[self] ?? "close-\(rawValue)"
    }

    /// The code that `bye.code` names; nil if it is none of the table.
    package init?(word: String) {
        guard let code = Self.table.first(where: { $0.value.isSameText(as: word) })?.key
        else { return nil }
        self = code
    }

    /// Every code in the table, in ascending order.
    package static var all: [CloseCode] { table.keys.sorted { $0.rawValue < $1.rawValue } }

    private static let table: [CloseCode: String] = [
        .normal: "normal", .goingAway: "going-away", .binaryMessage: "binary-message",
        .notUTF8: "not-utf8", .tooBig: "too-big", .internalError: "internal",
        .behind: "behind", .helloTimeout: "hello-timeout", .full: "full",
        .expired: "expired", .revoked: "revoked", .busy: "busy",
        .protocolViolation: "protocol-violation", .unauthenticated: "unauthenticated",
        .forbidden: "forbidden", .unsupportedVersion: "unsupported-version",
        .replaced: "replaced", .noRoom: "no-room", .kicked: "kicked",
    ]
}
