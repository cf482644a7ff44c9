import StorecastSync

/// How far the dispatches have come on the connection that there is now.
struct SendCursor: Sendable {
    /// What `hello` said to be settled.
    var greeted: UInt64 = 0
    /// What the server has heard of; the next frame has the number behind it.
    var lastSent: UInt64 = 0
    /// What the server has said to be settled; the window begins behind it.
    var acked: UInt64 = 0
}
