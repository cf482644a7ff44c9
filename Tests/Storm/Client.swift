import StorecastClient

/// A client that appends 0, 1, 2 … to a list of its own, some at a time, and mirrors that; or one
/// that mirrors its room's whole document, and writes nothing.
@MainActor final class Client {
    let number: Int
    /// The place of its room.
    let room: Int
    let isWriter: Bool
    /// How many numbers it has dispatched, and how many of them were acked, by which version.
    private(set) var dispatched = 0
    private(set) var acked = 0
    private(set) var ackedVersion: UInt64 = 0
    /// Whether it has written all that it is to write.
    private(set) var isDone = false
    /// When the last action was dispatched that was acked.
    private var lastAnswered: ContinuousClock.Instant?
    private var shown: Position?
    private var trails: [Int: Trail] = [:]
    private let connection: RemoteConnection
    private let mirror: RemoteStore<JSON>
    private unowned let crew: Crew

    init(_ number: Int, room: Int, isWriter: Bool, in crew: Crew, _ transport: any Transport) {
        self.number = number
        self.room = room
        self.isWriter = isWriter
        self.crew = crew
        connection = RemoteConnection("ws://storm\(crew.rooms[room].path)", transport: transport)
        mirror = RemoteStore(
            selection: "value", parameters: ["path": .string(isWriter ? "/\(number)" : "")],
            on: connection)
    }

    func start() {
        Task { await follow() }
        if isWriter { Task { await write() } }
    }

    /// What the mirror shows.
    var state: JSON? { mirror.state }

    /// Tries at once if it waits to connect.
    func hurry() { if case .offline = connection.status { connection.reconnect() } }

    /// Whether something that it dispatched since then was acked; of one that only mirrors, whether
    /// it shows what was acked by then, brought up to a schema.
    ///
    /// - Parameters:
    ///   - version: the room's at that time, as far as it was acked.
    ///   - schema: which all servers have at least.
    func isSettled(since time: ContinuousClock.Instant, _ version: UInt64, schema: Int) -> Bool {
        if isWriter { return lastAnswered.map { $0 >= time } ?? false }
        guard let shown, let state else { return false }
        return shown.version >= version && Crew.schema(of: state) >= schema
    }

    /// For people.
    var name: String { "client \(number) in \(crew.rooms[room].path) (\(connection.status))" }

    // MARK: Writing

    private func write() async {
        var random = SeededGenerator(seed: UInt64(number))
        while !crew.isFinishing {
            var sent: [(dispatch: Dispatch, isNumber: Bool)] = []
            let time = ContinuousClock.now
            for _ in 0...random.below(3) {
                if dispatched > 0, dispatched % Trail.longest == 0 {
                    sent.append((dispatch("set", []), false))
                }
                sent.append((dispatch("append", .int(Int64(dispatched))), true))
                dispatched += 1
            }
            for (dispatch, isNumber) in sent {
                do {
                    took(try await dispatch.outcome, isNumber, since: time)
                } catch {
                    return crew.find("The \(name) was refused an action: \(error).")
                }
            }
            try? await Task.sleep(for: crew.pause * Double(50 + random.below(101)) / 100)
        }
        isDone = true
    }

    private func dispatch(_ type: String, _ value: JSON) -> Dispatch {
        connection.dispatch(
            type: type, payload: ["path": .string("/\(number)"), "value": value])
    }

    private func took(
        _ position: Position, _ isNumber: Bool, since time: ContinuousClock.Instant
    ) {
        if position.version < ackedVersion {
            crew.find("The \(name) was told version \(position.version) after \(ackedVersion).")
        }
        if isNumber { acked += 1 }
        ackedVersion = position.version
        lastAnswered = time
        crew.acked(in: room, position, since: time)
    }

    // MARK: Mirroring

    private func follow() async {
        for await _ in mirror.states {
            // Both of now: the stream may be behind.
            guard let state = mirror.state, let position = mirror.position else { continue }
            check(state, position)
        }
    }

    private func check(_ state: JSON, _ position: Position) {
        if let shown, position.version < shown.version {
            crew.find("The \(name) shows version \(position.version) after \(shown.version).")
        }
        shown = position
        crew.saw(position, in: room)
        for writer in isWriter ? [self] : crew.writers[room] {
            let list = isWriter ? state : state["\(writer.number)"]
            let known = position.version >= writer.ackedVersion ? writer.acked : 0
            let problem = trails[writer.number, default: Trail()].take(
                list, acked: known, dispatched: writer.dispatched)
            if let problem {
                crew.find(
                    "The \(name) at version \(position.version): client \(writer.number)'s list "
                        + "\(problem).")
            }
        }
    }
}
