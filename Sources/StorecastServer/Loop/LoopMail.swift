import StorecastRoom

/// What loops say to each other of connections that one of them holds and whose room lives on
/// another. What one loop says to another arrives in order.
enum LoopMail: Sendable {
    case opened(UInt64, Credentials, origin: Int)
    case toSession(UInt64, RelayMessage.ToSession)
    case toConnection(UInt64, RelayMessage.ToConnection)
}
