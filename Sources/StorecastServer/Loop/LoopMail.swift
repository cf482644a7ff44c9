import StorecastWire

/// What loops say to each other of connections that one of them holds and whose room lives on
/// another. What one loop says to another arrives in order.
enum LoopMail: Sendable {
    // From the loop of the connection.
    case opened(UInt64, Credentials, origin: Int)
    case text(UInt64, [UInt8])
    case writable(UInt64)
    case closed(UInt64)
    // From the loop of the room.
    case frames(UInt64, [ServerMessage])
    case taken(UInt64, bytes: Int)
    case reading(UInt64, Bool)
    case close(UInt64, CloseCode, String)
}
