/// The constants of version 1 of the protocol.
public enum ProtocolVersion {
    /// What `hello` and `welcome` say in `proto`.
    public static let number = 1
    /// The WebSocket subprotocol (RFC 6455, section 1.9).
    public static let subprotocol = "storecast.v1"
    /// The largest integer in a protocol field: what every JSON implementation reads exactly
    /// (RFC 8259, section 6).
    package static let largestInteger: UInt64 = 1 << 53 - 1
}
