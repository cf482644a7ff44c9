@_exported public import StorecastMirror
@_exported public import StorecastSync

/// A connection to one room of a server, shared by any number of ``RemoteStore``s.
///
/// It connects at once, and again whenever the connection is lost, until ``close()``: after a delay
/// that doubles with every failure from a quarter of a second to 30 seconds, shortened by chance to
/// as little as half, and is short again after a connection that held for five seconds. An attempt
/// that the server doesn't answer within 20 seconds has failed.
///
/// Dispatches work without a connection. They are kept in its ``Outbox``, sent in order, and
/// reduced once, however often the connection breaks. Every member may be used from any thread;
/// what can change is tracked by Observation, on the connection's own thread.
public final class RemoteConnection: Sendable {
    /// The status of a connection.
    public enum Status: Sendable, Equatable {
        /// An attempt to connect is under way.
        case connecting
        /// Mirrors follow the server.
        case live
        /// Not connected, and waiting for the next attempt.
        case offline(Outage)
        /// Closed for good: by ``RemoteConnection/close()`` (nil), or because the server refused,
        /// with its code: `unauthenticated`, `forbidden`, `no-room`, `replaced`, `outbox-locked`,
        /// ….
        case closed(Rejection?)
    }

    private let driver: ConnectionDriver
    private let traceparent: (@Sendable () -> String?)?
    /// The room's; nil if nothing is known of it.
    private let actions: ActionCatalogue?
    private let systemEvents: SystemEvents?
    let deliveries = DeliveryRegistry()

    /// Starts to connect.
    ///
    /// - Parameters:
    ///   - url: `ws://host:port/path` or `wss://…`; the path names the room.
    ///   - room: what room that is: the connection takes its actions from there. One of another
    ///     type is then a programming error where it is dispatched; in a release build it is
    ///     rejected at once, with `unknown-action`. Without it, all are sent.
    ///   - token: called before every connection, where what it throws counts as a failed attempt,
    ///     and when the server asks for a newer one, as the one that it has expires: a minute before
    ///     that, and again, if it throws or has the same, when half of the time left is over.
    ///   - identity: who the client is to the server, if you know it before the server says so: see
    ///     ``identity``.
    ///   - outbox: where dispatches are kept until they have an outcome. A file is read before this
    ///     returns.
    ///   - cache: where the values of stores are kept for the program's next start.
    ///   - largestValue: the largest value of a selection that is taken, in bytes of its JSON text;
    ///     64 MiB. A larger one fails its store with `too-large`. Values come in parts, one value at
    ///     a time, so the connection holds no more text than this. With 0 the server is asked not to
    ///     send parts, and the transport says how large a value may be.
    ///   - traceparent: what the dispatch that is made just now belongs to, as the field of that name
    ///     in W3C Trace Context, level 1: the server's span of the dispatch becomes that one's child.
    ///     Called in `dispatch`, on its thread and in its task; nil for nothing. A program that ends
    ///     loses it, where its outbox keeps the dispatch.
    ///   - transport: how to connect; libwebsockets on Linux, URLSession on Apple platforms.
    public convenience init(
        _ url: String, room: (any RoomDefinitionProtocol)? = nil,
        token: (@Sendable () async throws -> String)? = nil,
        identity: Identity? = nil, outbox: Outbox = .memory, cache: Cache = .none,
        largestValue: Int = 64 << 20, traceparent: (@Sendable () -> String?)? = nil,
        transport: any Transport = .standard
    ) {
        self.init(
            url, room: room, token: token, identity: identity, outbox: outbox, cache: cache,
            largestValue: largestValue, traceparent: traceparent, transport: transport,
            random: SystemRandomNumberGenerator())
    }

    /// A connection whose client id and delays are drawn from `random`, and whose time of day is
    /// that of `wallClock`. With a `status` it stays in that, and never connects.
    package init(
        _ url: String, room: (any RoomDefinitionProtocol)? = nil,
        token: (@Sendable () async throws -> String)? = nil,
        identity: Identity? = nil, outbox: Outbox = .memory, cache: Cache = .none,
        largestValue: Int = 64 << 20, traceparent: (@Sendable () -> String?)? = nil,
        transport: any Transport, random: any RandomNumberGenerator & Sendable,
        wallClock: @escaping @Sendable () -> Timestamp = { Timestamp.now() },
        status: Status? = nil
    ) {
        self.traceparent = traceparent
        actions = room?.actions
        driver = ConnectionDriver(
            ConnectionConfiguration(
                url: url, token: token, identity: identity, outbox: outbox, cache: cache,
                actions: actions ?? ActionCatalogue([]), largestValue: largestValue,
                transport: transport, random: random,
                wallClock: wallClock, deliveries: deliveries))
        if let status {
            systemEvents = nil
            driver.monitor.set(status)
            return
        }
        systemEvents = SystemEvents { [weak driver] event in
            driver?.perform { core in
                switch event {
                case .networkChanged: core.connector.networkChanged()
                case .willSuspend: core.connector.suspend()
                case .resumed:
                    core.connector.resume()
                    // One that wasn't suspended may have lost its connection all the same.
                    core.connector.networkChanged()
                }
            }
        }
        driver.perform { $0.start() }
    }

    deinit {
        close()
    }

    /// Stands for this client in everyone's sight: in ``/StorecastSync/ClientJoined``, and as the
    /// editor of ``/StorecastSync/SharedText/edit(by:to:)``. The same as long as its outbox is, and
    /// nothing from which the client's id could be worked out.
    public var participant: String { participantID(of: driver.outbox.client) }

    /// The status now.
    public var status: Status { driver.monitor.status }

    /// The status now and every later one; ends when the connection is closed.
    public var statuses: AsyncStream<Status> { driver.monitor.follow() }

    /// Who the server takes the client for, as of its last welcome; until the first, what the
    /// initializer was told, or nil. A server of an earlier version doesn't say it.
    ///
    /// It is the sender in the provisional stamps of ``/StorecastSync/Stamped`` actions that
    /// optimistic stores show, also of those that were dispatched before it was known; nobody, if
    /// it is nil. Their time is this machine's, their id the final one. It doesn't say when it
    /// expires.
    public var identity: Identity? { driver.monitor.identity }

    /// How many dispatches have no outcome, counted as of this moment: what an app shows as "3
    /// changes not saved yet".
    public var pendingCount: Int { driver.monitor.pendingCount }

    /// The dispatches without an outcome, oldest first, those of an earlier process included. O(n).
    public var pending: [PendingDispatch] {
        _ = driver.monitor.pendingCount
        return driver.outbox.withLock { outbox in
            outbox.pendingEntries.map { seq, outgoing, outcome in
                PendingDispatch(
                    id: seq, type: outgoing.type, action: outgoing.action,
                    dispatch: Dispatch(outcome, shownIn: deliveries))
            }
        }
    }

    /// Why the outbox's file can't be written; nil if it can.
    public var outboxProblem: Rejection? { driver.monitor.outboxProblem }

    /// Dispatches an action, in the order of the calls on one thread.
    ///
    /// The optimistic stores of this connection show it soon. When its outcome is known, either all
    /// stores show it or none does.
    @discardableResult
    public func dispatch(_ action: any SyncAction) -> Dispatch {
        submit(action).dispatch
    }

    /// Dispatches an action by its wire name, for programs that don't have its type.
    @discardableResult
    public func dispatch(type: String, payload: JSON? = nil) -> Dispatch {
        submit(
            OutgoingAction(
                type: type, payload: payload.map { Array("\($0)".utf8) } ?? [],
                traceparent: traceparent?())
        ).dispatch
    }

    /// Connects at once if it waits to try again, and counts its failures from the beginning: for a
    /// button.
    public func reconnect() {
        perform { $0.connector.reconnect() }
    }

    /// There may be another network: connects at once if it waits to try again, unless the server
    /// has said how long; a live connection is taken for lost if the server doesn't answer within
    /// five seconds. On Apple platforms called whenever the system says so.
    public func networkChanged() {
        perform { $0.connector.networkChanged() }
    }

    /// Hangs up and lets go of the outbox's file until ``resume()``, as iOS ends apps that hold a
    /// lock while they are suspended. The status is `offline` meanwhile, and what is dispatched
    /// waits in memory.
    ///
    /// Called when an app of iOS, tvOS, visionOS or watchOS goes to the background. One that works
    /// on there calls ``resume()``.
    public func suspend() {
        perform { $0.connector.suspend() }
    }

    /// Goes on after ``suspend()``: connects at once. If another process has used the outbox's file
    /// meanwhile, or has it, the connection closes with `outbox-locked`.
    ///
    /// Called when such an app comes to the foreground.
    public func resume() {
        perform { $0.connector.resume() }
    }

    /// Shows the server a newer token of the same identity on the current connection: when the
    /// token is about to be revoked, or when the user's roles have changed.
    ///
    /// The session goes on while the server checks it: what is dispatched at the same moment may
    /// still be authorized by the old one. Later connections call the initialiser's `token` again,
    /// and so does one whose server says that the token is about to expire; what it was getting
    /// when this is called isn't shown any more.
    public func authenticate(token: String) {
        perform { $0.connector.authenticate(token: token) }
    }

    /// Ends the connection for good. Dispatches without an outcome end with `closed`, which says
    /// nothing of whether they were reduced; those in a file continue with the next connection that
    /// opens it.
    public func close() {
        perform { $0.connector.close(nil) }
    }

    /// Runs `work` with the connection's state, after every earlier request.
    func perform(_ work: @escaping @Sendable (ConnectionCore) -> Void) {
        driver.outbox.withLock { $0.closeAdmission() }
        driver.perform(work)
    }

    /// The dispatches without an outcome, for optimistic stores.
    var pendingActions: PendingActions { driver.outbox.withLock(\.pendingActions) }

    /// Dispatches an action; returns with it what an optimistic store is to show.
    func submit(_ action: any SyncAction) -> (dispatch: Dispatch, pending: PendingAction?) {
        let type = type(of: action)
        guard actions?.contains(type) != false else {
            let lack = ActionCatalogue.lack(of: type)
            assertionFailure(lack)
            return refused(Rejection(.unknownAction, "The room has no such action.", detail: lack))
        }
        do {
            return submit(
                OutgoingAction(
                    type: type.wireName, payload: try JSONCoding.encode(action),
                    action: action, traceparent: traceparent?()))
        } catch {
            return refused(
                Rejection(.invalid, "The action can't be written as JSON.", detail: "\(error)"))
        }
    }

    private func refused(_ rejection: Rejection) -> (dispatch: Dispatch, pending: PendingAction?) {
        let outcome = DispatchOutcome()
        outcome.settle(.failure(rejection))
        return (Dispatch(outcome), nil)
    }

    private func submit(
        _ action: OutgoingAction
    ) -> (dispatch: Dispatch, pending: PendingAction?) {
        let outcome = DispatchOutcome()
        do throws(Rejection) {
            let (pending, opensAdmission) = try driver.outbox.withLock { outbox throws(Rejection) in
                try outbox.append(action, outcome)
            }
            if opensAdmission { driver.perform { $0.admit() } }
            return (Dispatch(outcome, shownIn: deliveries), pending)
        } catch {
            return refused(error)
        }
    }
}

extension RoomDefinitionProtocol {
    fileprivate var actions: ActionCatalogue { definition.actions }
}

/// How long a connection has been away, why, and what comes next.
public struct Outage: Sendable, Equatable {
    /// When the connection was lost, or first tried if it never was there; by this machine's clock.
    public var since: Timestamp
    /// When the next try is made, unless ``RemoteConnection/reconnect()`` makes one before.
    public var retryAt: Timestamp
    /// What went wrong the last time; a sentence for a person.
    public var reason: String

    /// An outage, for previews and tests.
    public init(since: Timestamp, retryAt: Timestamp, reason: String) {
        self.since = since
        self.retryAt = retryAt
        self.reason = reason
    }
}

extension Outage: CustomStringConvertible {
    /// Why, since when, and until when; for a person.
    public var description: String {
        "\(reason) There is no connection since \(since); the next try is at \(retryAt)."
    }
}

extension RemoteConnection.Status: CustomStringConvertible {
    /// A word, and why where there is a reason.
    public var description: String {
        switch self {
        case .connecting: "connecting"
        case .live: "live"
        case .offline(let outage): "offline: \(outage.reason)"
        case .closed(nil): "closed"
        case .closed(let rejection?): "closed: \(rejection)"
        }
    }
}

/// A dispatch without an outcome, made by this process or by an earlier one with the same outbox.
public struct PendingDispatch: Sendable, Identifiable {
    /// Counts the client's dispatches.
    public let id: UInt64
    /// The action's name on the wire.
    public let type: String
    /// The action, if its type is known.
    public let action: (any SyncAction)?
    /// To wait for its outcome.
    public let dispatch: Dispatch
}

extension RemoteConnection {
    /// Returns when every store on this connection shows all that has been received for it.
    package func settleStores() async {
        await deliveries.settle()
    }

    /// The status once the connection has done what it has begun: after an outcome or a problem
    /// that says that the connection ended, it is `closed`.
    package var settledStatus: Status {
        get async {
            await withCheckedContinuation { continuation in
                perform { core in continuation.resume(returning: core.monitor.status) }
            }
        }
    }
}
