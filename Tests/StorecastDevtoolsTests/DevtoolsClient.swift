import Foundation
import StorecastClient
import StorecastDevtools
import StorecastRoom
import StorecastServer
import Synchronization
import TestSupport

/// A client of the devtools' room.
@MainActor
struct DevtoolsClient {
    nonisolated static let token = "a token of the devtools' own"

    let connection: RemoteConnection

    /// - Parameter url: the server's.
    init(_ url: String) {
        connection = RemoteConnection(url.at("/devtools"), token: { Self.token })
    }

    /// The first answer that is known and matches.
    func answer(
        _ selection: String, _ parameters: JSON? = nil,
        where matches: (JSON) -> Bool = { _ in true }
    ) async throws -> JSON {
        try await answer(of: follow(selection, parameters), where: matches)
    }

    /// Subscribes to a selection as long as the store lives.
    func follow(_ selection: String, _ parameters: JSON? = nil) -> RemoteStore<JSON> {
        RemoteStore(selection: selection, parameters: parameters, on: connection)
    }

    func answer(
        of store: RemoteStore<JSON>, where matches: (JSON) -> Bool = { _ in true }
    ) async throws -> JSON {
        for await answer in store.states.limited where !answer.isNull && matches(answer) {
            return answer
        }
        throw store.problem ?? Rejection(.closed, "No such answer came in time.")
    }

    /// Has the server do something; returns the outcome.
    func perform(_ type: String, _ members: JSONObject = [:]) async throws -> JSON {
        let ticket = "\(UUID())"
        var payload = members
        payload["ticket"] = .string(ticket)
        _ = try await connection.dispatch(type: type, payload: .object(payload)).outcome
        var last = JSON.null
        _ = try await answer("dispatches") { list in
            last = list.array?.last { $0["ticket"] == payload["ticket"] } ?? .null
            return last["isOver"] == true
        }
        return last
    }

    /// Dispatches an action into a room; returns what the devtools say of it.
    func dispatch(_ type: String, _ payload: JSON, to room: String = "/") async throws -> JSON {
        let ticket = "\(type) \(payload)"
        let forward = ForwardedAction(ticket: ticket, room: room, type: type, payload: payload)
        _ = try await connection.dispatch(forward).outcome
        var last = JSON.null
        _ = try await answer("dispatches") { list in
            last = list.array?.last { $0["ticket"]?.string == ticket } ?? .null
            return last["version"] != nil || last["problem"] != nil
        }
        return last
    }
}

/// A server with tallies at every path but `/none`, whose journal keeps everything; a client of `/`
/// and one of the devtools.
@MainActor
struct DevtoolsServer {
    /// Counts how often each path was looked up.
    private final class Lookups: Sendable {
        let counts = Mutex<[String: Int]>([:])
    }

    let server: SyncServer
    let url: String
    let client: RemoteConnection
    let devtools: DevtoolsClient
    private let lookups = Lookups()

    init(loops: Int = 1, limits: SyncLimits = SyncLimits()) async throws {
        let room = Tallies.room.validate(Add.self) { _, add, _ in
            if add.number < 0 { throw Rejection(.invalid, "Only up.") }
        }
        server = SyncServer(
            port: 0,
            journal: JournalProvider { () throws(JournalError) in
                MemoryJournalStore(capacity: .max)
            },
            loops: loops, limits: limits, extensions: [.devtools(.token(DevtoolsClient.token))],
            rooms: { [lookups] path in
                lookups.counts.withLock { $0[path, default: 0] += 1 }
                return path == "/none" ? nil : room
            }
        ) { Identity($0.token ?? "") }
        url = try await server.start()
        client = RemoteConnection(url, token: { "ada" })
        devtools = DevtoolsClient(url)
    }

    /// How often the definition of `/` was asked for: when it was opened, and when its journal was
    /// read for the devtools.
    var lookupCount: Int { lookups.counts.withLock { $0["/"] ?? 0 } }

    func add(_ numbers: Int...) async throws {
        for number in numbers { _ = try await client.dispatch(Add(number: number)).outcome }
    }

    /// Waits until the devtools have gone through what is asked of them now; adds 1 meanwhile.
    func pass() async throws {
        let state = devtools.follow("state", ["room": "/"])
        let before = try await devtools.answer(of: state)["version"]
        try await add(1)
        _ = try await devtools.answer(of: state) { $0["version"] != before }
    }

    func end() async {
        client.close()
        devtools.connection.close()
        await server.stop()
    }
}

/// What the devtools' page sends.
struct ForwardedAction: SyncAction {
    static let wireName = "dispatch"
    var ticket: String
    var room: String
    var type: String
    var payload: JSON
}

/// What the servers of these tests serve: a tally, and who counted last.
struct Tallies: Codable, Equatable, Sendable {
    var count = 0
    var last = ""

    static let count = Selection("count") { (tallies: Tallies) in tallies.count }
    static let last = Selection("last") { (tallies: Tallies) in tallies.last }

    static let room = RoomDefinition(
        state: Tallies(), actions: [Add.self], selections: [count, last]
    ) { tallies, action in
        guard let add = action as? Add else { return }
        tallies.count += add.number
        tallies.last = add.stamp.sender.id
    }
    .allowAll(.open)

    /// One that goes from 0 to 10.
    static let upTo10 = room.validate(Add.self) { tallies, add, _ in
        guard (0...10).contains(tallies.count + add.number) else {
            throw Rejection(.conflict, "It goes from 0 to 10.")
        }
    }
}

struct Add: Stamped {
    var number: Int
    /// For one that takes much room.
    var padding: String?
    var stamp = Stamp()
}

extension RemoteConnection {
    func isLive() async -> Bool {
        for await status in statuses.limited where status == .live { return true }
        return false
    }

    /// Waits for the end, and says why.
    func end() async -> Rejection? {
        for await status in statuses.limited {
            if case .closed(let rejection) = status { return rejection }
        }
        return nil
    }
}

extension String {
    /// The URL of another room of the same server.
    func at(_ path: String) -> String { String(dropLast()) + path }
}
