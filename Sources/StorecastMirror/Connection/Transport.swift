/// How a client reaches a server: something that opens WebSocket connections.
public protocol Transport: Sendable {
    /// Where every event of its connections arrives, and where the client's own state lives.
    var executor: any TransportExecutor { get }

    /// Starts to connect; called on ``executor``.
    ///
    /// - Parameters:
    ///   - url: `ws://` or `wss://`, a host, perhaps a port and a path.
    ///   - subprotocol: the WebSocket subprotocol that the server has to accept.
    ///   - handler: called on ``executor``, and never again after `closed`.
    func connect(
        to url: String, subprotocol: String,
        handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection
}

/// One connection, open or about to be; used on its transport's executor only.
public protocol TransportConnection: AnyObject {
    /// Sends one text message.
    func send(_ text: [UInt8])
    /// Starts the closing handshake; `closed` follows in any case.
    func close(code: UInt16, reason: String)
}

/// What happens to a connection.
public enum TransportEvent {
    /// The server has accepted it.
    case opened
    /// One text message, valid UTF-8; the bytes are valid during the call only.
    case received(UnsafeRawBufferPointer)
    /// It is over, or was never opened.
    ///
    /// The code is that of RFC 6455, section 7.4; 1006 if there was no closing handshake. `problem`
    /// is a sentence on what went wrong, or nil.
    case closed(code: UInt16, reason: String, problem: String?)
}

/// A serial executor that can also run closures, in order, and later.
public protocol TransportExecutor: SerialExecutor {
    /// The time since some moment in the past, by the clock that delays are measured with; callable
    /// anywhere. By default that of the system's continuous clock.
    var now: Duration { get }
    /// Runs `work` on the executor behind everything given to it before; callable anywhere.
    func execute(_ work: @escaping @Sendable () -> Void)
    /// Runs `work` on the executor when `delay` is over; callable anywhere.
    func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void)
}

extension TransportExecutor {
    /// The time by the system's continuous clock.
    public var now: Duration { ContinuousClock.now - processStart }
}

/// A moment before every other that an executor is asked for.
private let processStart = ContinuousClock.now
