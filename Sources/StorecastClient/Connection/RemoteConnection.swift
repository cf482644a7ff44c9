public import StorecastSync

/// A connection to one room of a server, shared by any number of ``RemoteStore``s.
///
/// It connects at once, and again whenever the connection is lost, until ``close()``. Dispatches
/// are kept and sent in order when it is back, and reduced once. Every member may be used from
/// any thread.
public final class RemoteConnection: Sendable {
    /// How a connection is doing.
    public enum Status: Sendable, Equatable {
        /// On the way.
        case connecting
        /// Mirrors follow the server.
        case live
        /// Lost, for a reason that is a sentence; the next try is made after this time.
        case offline(retryIn: Duration, because: String)
        /// Over for good: by ``RemoteConnection/close()``, or because the server said why.
        case closed(Rejection?)
    }

    private let driver: ConnectionDriver
    let deliveries = DeliveryRegistry()

    /// Starts to connect.
    ///
    /// - Parameters:
    ///   - url: `ws://host:port/path` or `wss://…`; the path names the room.
    ///   - token: asked for at every connection; what it throws counts as a failed try.
    ///   - transport: how to connect; libwebsockets on Linux, URLSession on Apple platforms.
    public convenience init(
        _ url: String, token: (@Sendable () async throws -> String)? = nil,
        transport: any Transport = .standard
    ) {
        self.init(url, token: token, transport: transport, random: SystemRandomNumberGenerator())
    }

    /// A connection whose client id and delays are drawn from `random`.
    package init(
        _ url: String, token: (@Sendable () async throws -> String)? = nil,
        transport: any Transport, random: any RandomNumberGenerator & Sendable
    ) {
        driver = ConnectionDriver(url: url, token: token, transport: transport, random: random)
        let deliveries = deliveries
        driver.perform { core in
            core.onMoved = { deliveries.deliver() }
            core.connect()
        }
    }

    deinit {
        close()
    }

    /// How the connection is doing now.
    public var status: Status { driver.status.now }

    /// The status now and every later one; ends when the connection is closed.
    public var statuses: AsyncStream<Status> { driver.status.follow() }

    /// Dispatches an action, in the order of the calls on one thread.
    @discardableResult
    public func dispatch(_ action: any SyncAction) -> Dispatch {
        let outcome = DispatchOutcome()
        do {
            let payload = try JSONCoding.encode(action)
            send(type: type(of: action).wireName, payload: payload, outcome)
        } catch {
            outcome.settle(
                .failure(
                    Rejection(
                        .invalid, "The action can't be written as JSON.", detail: "\(error)")))
        }
        return Dispatch(outcome)
    }

    /// Dispatches an action by its wire name, for programs that don't have its type.
    @discardableResult
    public func dispatch(type: String, payload: JSON? = nil) -> Dispatch {
        let outcome = DispatchOutcome()
        send(type: type, payload: payload.map { Array("\($0)".utf8) } ?? [], outcome)
        return Dispatch(outcome)
    }

    /// Connects at once if it is waiting to.
    public func reconnect() {
        driver.perform { $0.connectNow() }
    }

    /// Ends the connection for good; dispatches without an outcome end with `closed`.
    public func close() {
        driver.perform { $0.close(nil) }
    }

    /// Runs `work` with the connection's state, behind everything asked for before.
    func perform(_ work: @escaping @Sendable (ConnectionCore) -> Void) {
        driver.perform(work)
    }

    private func send(type: String, payload: [UInt8], _ outcome: DispatchOutcome) {
        let payload = payload.elementsEqual("{}".utf8) ? [] : payload
        driver.perform { $0.dispatch(type: type, payload: payload, outcome: outcome) }
    }
}
