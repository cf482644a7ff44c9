import Foundation
import StorecastClient
import TestSupport
import Testing

/// Fifty Swift clients and one of another make, on one server.
@MainActor @Suite(.fewAtATime) struct ManyClientsTests {
    private static let clients = 50
    private static let actionsEach = 196
    private static let pythonActions = 200

    @Test(
        .enabled(if: Python.isThere, "needs .build/python: see the README's test command"),
        .timeLimit(.minutes(30)))
    func `every mirror ends equal to its selection, and each action is acked once`() async throws {
        let server = try await ServeProcess(document: "{}")
        let python = try Python.start(
            "drive.py",
            [
                server.url, "--client-id", "0123456789abcdef0123456789abcdef", "--selection",
                "value", "--params", #"{"path":"/python"}"#, "--actions",
                "\(Self.pythonActions)", "--action-template",
                #"{"type":"merge","payload":{"path":"","value":{"python":"$N"}}}"#,
            ])
        let clients = (0..<Self.clients).map { SwiftClient(number: $0, url: server.url) }
        var versions = Set<UInt64>()
        for client in clients {
            versions.formUnion(try await client.dispatchAll(Self.actionsEach))
        }
        let settled = try #require(await python.line(0))
        #expect(settled.contains(#""settled": \#(Self.pythonActions)"#))

        // A client that comes now gets the truth as one snapshot.
        let connection = RemoteConnection(server.url)
        let truth = RemoteStore(
            selection: "value", parameters: ["path": ""], on: connection)
        var states = truth.states.makeAsyncIterator()
        let document = try #require(await states.next(isolation: #isolation))
        let total = Self.clients * Self.actionsEach + Self.pythonActions
        #expect(truth.position?.version == UInt64(total))
        #expect(document["shared"] == .int(Int64(Self.clients * Self.actionsEach / 2)))

        for client in clients {
            let (own, shared) = await client.states(whenShared: document["shared"])
            #expect(own == document["clients-\(client.number)"])
            #expect(own == .int(Int64(Self.actionsEach / 2)))
            #expect(shared == document["shared"])
            client.connection.close()
        }
        try python.write("\(total)")
        let report = try JSON(parsing: #require(await python.line(1)))
        #expect(await python.exitStatus() == 0)
        #expect(report["value"] == document["python"])
        #expect(report["acked"] == .int(Int64(Self.pythonActions)))
        #expect(report["rejected"] == 0)
        connection.close()
        #expect(await server.stop() == 0)
    }
}

/// One Swift client: half of its actions count in a counter of its own, half in everybody's.
@MainActor private final class SwiftClient {
    let number: Int
    let connection: RemoteConnection
    private let own: RemoteStore<JSON>
    private let shared: RemoteStore<JSON>

    init(number: Int, url: String) {
        self.number = number
        connection = RemoteConnection(url)
        own = RemoteStore(
            selection: "value", parameters: ["path": .string("/clients-\(number)")], on: connection)
        shared = RemoteStore(selection: "value", parameters: ["path": "/shared"], on: connection)
    }

    /// Dispatches all at once and waits for each outcome; the versions they were settled at.
    func dispatchAll(_ count: Int) async throws -> [UInt64] {
        let dispatches = (0..<count).map { index in
            connection.dispatch(
                type: "increment",
                payload: [
                    "path": .string(index.isMultiple(of: 2) ? "/clients-\(number)" : "/shared"),
                    "by": 1,
                ])
        }
        var versions: [UInt64] = []
        for dispatch in dispatches { versions.append(try await dispatch.outcome.version) }
        #expect(versions == versions.sorted(), "A client's actions are reduced in its order.")
        return versions
    }

    /// Both mirrors, when the shared one shows what is expected; the time limit ends the wait.
    func states(whenShared expected: JSON?) async -> (own: JSON?, shared: JSON?) {
        for await state in shared.states where state == expected { break }
        return (own.state, shared.state)
    }
}
