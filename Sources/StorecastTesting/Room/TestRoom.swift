public import Storecast
@_exported public import StorecastClient
@_exported public import StorecastSimulation
public import StorecastRoom
public import StorecastSync

/// One room and its clients in memory, on a manual clock and a seed.
///
/// ```swift
/// @MainActor struct BoardTests {
///     @Test func `a card shows up for the other, with the server's time`() async {
///         let room = TestRoom(Board.room)
///         let ada = room.connect(as: Identity("ada")), bob = room.connect(as: Identity("bob"))
///         let todo = RemoteStore(Board.column, ColumnPart(column: "todo"), on: bob)
///         await room.advance(by: .seconds(60))
///         ada.dispatch(AddCard(column: "todo", text: "Test it"))
///         await room.settle()
///         #expect(todo.state?.rows.first?.created == Timestamp(secondsSince1970: 60))
///     }
/// }
/// ```
/// The room, its sessions and its clients are those of a real server and a real app, with messages
/// in JSON; only the sockets are missing. Messages take no time. Time passes only by
/// ``advance(by:)``, and begins in 1970: back-off, heartbeats and time-outs cost no real time. Ids,
/// stamps and all else are the same in every run.
///
/// It belongs to the main actor, and works whenever a test awaits something there: ``settle()``,
/// but also an outcome or the app's own functions.
@MainActor public final class TestRoom<State: Codable & Sendable> {
    /// The room's and its clients' time, for code under test that takes a clock.
    public let clock: ManualClock

    private struct Client {
        weak var connection: RemoteConnection?
        let line: TestLine
    }

    private let loop: TestLoop
    private let server: TestServer<State>
    private var random: SeededGenerator
    private var clients: [Client] = []

    /// Opens a room with its rules and limits, as a server has them. Its journal is in memory and
    /// keeps everything.
    ///
    /// Everything random is drawn from `seed`. What a server would log, such as a check that throws
    /// something other than a `Rejection`, fails the test at this line.
    public init(
        _ definition: RoomDefinition<State>, limits: SyncLimits = SyncLimits(),
        clock: ManualClock = ManualClock(), seed: UInt64 = 1, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        self.clock = clock
        random = SeededGenerator(seed: seed)
        loop = TestLoop(clock: clock)
        server = TestServer(
            definition, limits: limits, loop: loop, clock: clock, random: &random,
            site: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    // MARK: The server's side

    /// The room's state. O(1).
    public var state: State { server.store.state }

    /// The room's history and how many dispatches of it are reduced.
    public var position: Position { server.position }

    /// Dispatches an action as the server's own code does, through middleware and journal; see
    /// `LiveRoom.dispatch`.
    @discardableResult
    public func dispatch(_ action: any SyncAction, as sender: Identity = .server) -> Dispatch {
        let outcome = DispatchOutcome()
        server.dispatch(action, as: sender, outcome)
        return Dispatch(outcome)
    }

    /// Runs `body` with the room's store; see `LiveRoom.withStore` for what may be done there.
    public func withStore<Result, Failure>(
        _ body: (Store<State>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(server.store)
    }

    // MARK: Clients

    /// A connection for `RemoteStore`s, of a client that the server knows as `identity`.
    ///
    /// It connects when the test awaits something next. Like every connection it ends when nothing
    /// retains it.
    ///
    /// - Parameters:
    ///   - identity: whose token the client shows.
    ///   - isOnline: false if every attempt to connect is to fail until ``goOnline(_:)``.
    public func connect(
        as identity: Identity = .anonymous, isOnline: Bool = true
    ) -> RemoteConnection {
        let line = TestLine(
            identity, isOnline: isOnline, begin: { [server] in server.begin($0) },
            end: { [server] in server.end($0) })
        let connection = RemoteConnection(
            "ws://test.invalid/", identity: identity,
            transport: TestTransport(loop: loop, line: line),
            random: SeededGenerator(seed: random.next()),
            wallClock: { [clock] in Timestamp(clock) })
        clients.removeAll { $0.connection == nil }
        clients.append(Client(connection: connection, line: line))
        return connection
    }

    /// Cuts the connection once, and loses what is under way on it. It reconnects after its
    /// back-off: within half a minute of ``advance(by:)``.
    public func cut(_ connection: RemoteConnection) {
        let line = line(of: connection)
        loop.post { line.cut() }
    }

    /// Cuts the connection, and lets every attempt to connect fail until ``goOnline(_:)``.
    public func goOffline(_ connection: RemoteConnection) {
        let line = line(of: connection)
        loop.post {
            line.isOnline = false
            line.cut()
        }
    }

    /// Lets attempts to connect succeed again. The next one is made after the back-off, or at once
    /// by `RemoteConnection.reconnect()`.
    public func goOnline(_ connection: RemoteConnection) {
        let line = line(of: connection)
        loop.post { line.isOnline = true }
    }

    /// Refuses the client's token from now on: the server closes its connection for good, with
    /// `rejection`.
    public func refuse(_ connection: RemoteConnection, _ rejection: Rejection) {
        let line = line(of: connection)
        loop.post { line.refuse(rejection) }
    }

    private func line(of connection: RemoteConnection) -> TestLine {
        guard let client = clients.first(where: { $0.connection === connection }) else {
            preconditionFailure("The connection isn't to this room: connect(as:) makes one.")
        }
        return client.line
    }

    // MARK: Time

    /// Returns when nothing is left to do at this time: every dispatch has its outcome or waits for
    /// a connection, and every `RemoteStore` shows its selection's new value, whichever actor owns
    /// it.
    ///
    /// Tasks on the main actor that this resumed have run until they await something else. Tasks
    /// elsewhere get some time to run, but aren't waited for.
    public func settle() async {
        await settle(sleepers: 0)
    }

    /// Moves the clock from one timer to the next, and settles at each.
    ///
    /// Tasks that sleep on ``clock`` wake at their time; `ManualClock.waitForSleeper()` makes sure
    /// that one has begun to sleep. Each heartbeat of a connection costs 0.3 ms in a debug build.
    public func advance(by duration: Duration) async {
        let end = clock.now.advanced(by: duration)
        await settle()
        while let next = clock.nextDeadline, next <= end {
            let sleepers = clock.sleeperCount
            clock.advance(by: clock.now.duration(to: next))
            if clock.sleeperCount < sleepers {
                await settle(sleepers: sleepers)
            } else {
                await work()
            }
        }
        clock.advance(by: clock.now.duration(to: end))
        await settle()
    }

    /// - Parameter sleepers: how many tasks slept before the clock moved. A task that woke resumes
    /// on
    ///   the thread pool, and mostly sleeps again: it gets some time for that.
    private func settle(sleepers: Int) async {
        var patience = 1000
        var before: Int
        repeat {
            await work()
            before = loop.workCount
            for _ in 0..<3 { await poolsTurn() }
            while clock.sleeperCount < sleepers, patience > 0, loop.workCount == before {
                patience -= 1
                await poolsTurn()
            }
        } while loop.workCount != before
    }

    /// Runs until nothing is left to do for the loop, the stores' owners and the main actor.
    private func work() async {
        var before: Int
        repeat {
            loop.run()
            before = loop.workCount
            for connection in clients.compactMap(\.connection) { await connection.settleStores() }
            for _ in 0..<10 { await Task.yield() }
        } while loop.workCount != before
    }

    /// Lets everything run that is queued on the thread pool, then what is on the main actor.
    private func poolsTurn() async {
        await Task.detached(priority: Task.currentPriority) {}.value
    }
}
