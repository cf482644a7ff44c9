import Foundation
import StorecastClient
import StorecastDevtools
import StorecastServer
import Synchronization
import TestSupport
import Testing

/// What developers may do to a server's clients, through the devtools' room.
@MainActor
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct AdministrationTests {
    private func connections(
        _ fixture: DevtoolsServer, _ parameters: JSON = [:], count: Int
    ) async throws -> [JSON] {
        let answer = try await fixture.devtools.answer("connections", parameters) {
            $0["total"]?.int == count
        }
        return answer["connections"]?.array ?? []
    }

    @Test(arguments: [1, 3])
    func `connections are listed from all loops, with whose they are and from where`(
        loops: Int
    ) async throws {
        let fixture = try await DevtoolsServer(loops: loops)
        try await fixture.add(1)
        let others = ["/a", "/b", "/c"].map { path in
            RemoteConnection(fixture.url.at(path), token: { "bob" })
        }
        for other in others { _ = await other.isLive() }
        let all = try await connections(fixture, count: 4)
        #expect(Set(all.compactMap { $0["room"]?.string }) == ["/", "/a", "/b", "/c"])
        #expect(all.allSatisfy { $0["address"] == "127.0.0.1" })
        #expect(Set(all.compactMap { $0["connection"]?.int }).count == 4)
        let one = try await connections(fixture, ["room": "/b"], count: 1)
        #expect(one.first?["identity"] == "bob")
        let adas = try await connections(fixture, ["identity": "ada"], count: 1)
        #expect(adas.first?["room"] == "/")
        _ = try await connections(fixture, ["room": "/b", "identity": "ada"], count: 0)
        for other in others { other.close() }
        await fixture.end()
    }

    @Test(arguments: [1, 3])
    func `a kicked client is told why, and doesn't come back`(loops: Int) async throws {
        let fixture = try await DevtoolsServer(loops: loops)
        try await fixture.add(1)
        let other = RemoteConnection(fixture.url.at("/a"), token: { "bob" })
        #expect(await other.isLive())
        let number = try #require(
            try await connections(fixture, ["identity": "bob"], count: 1).first?["connection"])
        let done = try await fixture.devtools.perform(
            "kick", ["connection": number, "reason": "Too loud."])
        #expect(done["ended"] == 1)
        #expect(done["problem"] == nil)
        let end = await other.end()
        #expect(end?.code == Rejection.Code("kicked"))
        #expect(end?.title == "Too loud.")
        try await fixture.add(1)
        let rest = try await fixture.devtools.perform("kick", ["identity": "ada"])
        #expect(rest["ended"] == 1)
        #expect(await fixture.client.end()?.code == Rejection.Code("kicked"))
        await fixture.end()
    }

    @Test(arguments: [1, 3], ["kick", "revoke"])
    func `all connections of an identity end and are counted, whichever loops their rooms are on`(
        loops: Int, action: String
    ) async throws {
        let fixture = try await DevtoolsServer(loops: loops)
        try await fixture.add(1)
        let others = (0..<12).map { number in
            RemoteConnection(fixture.url.at("/\(number)"), token: { "bob" })
        }
        for other in others { #expect(await other.isLive()) }
        let done = try await fixture.devtools.perform(action, ["identity": "bob"])
        #expect(done["ended"] == 12)
        #expect(done["problem"] == nil)
        for other in others { #expect(await other.end() != nil) }
        #expect(fixture.client.status == .live)
        await fixture.end()
    }

    @Test func `who isn't there can't be kicked, and the answer says who is`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        let nobody = try await fixture.devtools.perform("kick", ["identity": "adda"])
        #expect(nobody["problem"] == "Nobody is connected as 'adda'; there are: ada.")
        let number = try await fixture.devtools.perform("kick", ["connection": 4711])
        let problem = try #require(number["problem"]?.string)
        #expect(problem.hasPrefix("No connection has the number 4711; there are: "))
        // Neither composed nor decomposed names stand for one another.
        let accent = try await fixture.devtools.perform("kick", ["identity": "a\u{301}da"])
        #expect(accent["problem"]?.string?.hasPrefix("Nobody is connected") == true)
        #expect(try await fixture.devtools.perform("kick", ["identity": "ada"])["ended"] == 1)
        await fixture.end()
    }

    @Test(
        arguments: [
            [:], ["identity": ""], ["identity": "a", "connection": 1],
            ["identity": .string(String(repeating: "x", count: 2000))],
        ] as [JSONObject])
    func `a kick that names nobody, or too much, is refused`(payload: JSONObject) async throws {
        let fixture = try await DevtoolsServer()
        await #expect(throws: Rejection.self) {
            _ = try await fixture.devtools.perform("kick", payload)
        }
        await #expect(throws: Rejection.self) {
            _ = try await fixture.devtools.perform("revoke", ["identity": ""])
        }
        await fixture.end()
    }

    @Test(arguments: [1, 3])
    func `a revoked identity isn't let in any more, until that is undone`(
        loops: Int
    ) async throws {
        let fixture = try await DevtoolsServer(loops: loops)
        try await fixture.add(1)
        let done = try await fixture.devtools.perform("revoke", ["identity": "ada"])
        #expect(done["ended"] == 1)
        // It comes back by itself, as with another token it might be let in, and isn't.
        #expect(await fixture.client.end()?.code == .forbidden)
        let list = try await fixture.devtools.answer("revocations")
        #expect(list == ["ada"])
        let bob = RemoteConnection(fixture.url, token: { "bob" })
        #expect(await bob.isLive())
        bob.close()
        let other = try await fixture.devtools.perform(
            "revoke", ["identity": "adda", "isUndone": true])
        #expect(other["problem"] == "'adda' isn't revoked; these are: ada.")
        let undone = try await fixture.devtools.perform(
            "revoke", ["identity": "ada", "isUndone": true])
        #expect(undone["problem"] == nil)
        let ada = RemoteConnection(fixture.url, token: { "ada" })
        #expect(await ada.isLive())
        ada.close()
        await fixture.end()
    }

    @Test func `a reload is what SIGHUP does, and says what can't be read`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("tokens.json")
        try #"[{"token": "the-token-of-ada", "id": "ada"}]"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        let server = SyncServer(
            port: 0, extensions: [.devtools(.token(DevtoolsClient.token))],
            authentication: .tokens(try TokenTable(file: file)), rooms: { _ in Tallies.room })
        let url = try await server.start()
        let ada = RemoteConnection(url, token: { "the-token-of-ada" })
        #expect(await ada.isLive())
        let devtools = DevtoolsClient(url)
        try "[".write(toFile: file, atomically: true, encoding: .utf8)
        let failed = try await devtools.perform("reload")
        #expect(failed["problem"]?.string?.contains("tokens.json") == true)
        #expect(ada.status == .live)
        try "[]".write(toFile: file, atomically: true, encoding: .utf8)
        let done = try await devtools.perform("reload")
        #expect(done["problem"] == nil)
        #expect(await ada.end()?.code == .unauthenticated)
        devtools.connection.close()
        await server.stop()
    }

    @Test func `all of it is in the audit log, with who did it and who was meant`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("audit.jsonl")
        let server = SyncServer(
            port: 0, extensions: [.devtools(.token(DevtoolsClient.token))],
            audit: try AuditLog(file: file), rooms: { _ in Tallies.room }
        ) { Identity($0.token ?? "") }
        let url = try await server.start()
        let ada = RemoteConnection(url, token: { "ada" })
        #expect(await ada.isLive())
        let devtools = DevtoolsClient(url)
        _ = try await devtools.perform("kick", ["identity": "ada", "reason": "Too loud."])
        #expect(await ada.end() != nil)
        _ = try await devtools.perform("kick", ["connection": 99])
        _ = try await devtools.perform("revoke", ["identity": "bob"])
        _ = try await devtools.perform("revoke", ["identity": "bob", "isUndone": true])
        _ = try await devtools.perform("reload")
        devtools.connection.close()
        await server.stop()
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            .map { try JSON(parsing: String($0)) }
        func facts(_ ofClients: Bool) -> [String] {
            lines.filter { ($0["address"] != nil) == ofClients }.map { line in
                ["event", "identity", "type", "target", "reason", "code", "title"]
                    .compactMap { line[$0]?.string }.joined(separator: " ")
            }
        }
        #expect(
            facts(true) == [
                "entry ada", "entry storecast.devtools",
                "action storecast.devtools kick ada Too loud.", "kick ada kicked Too loud.",
                "action storecast.devtools kick connection 99",
                "action storecast.devtools revoke bob",
                "action storecast.devtools revoke bob undone", "action storecast.devtools reload",
            ])
        let none =
            "connection 99 failed No connection has the number 99; nobody is connected."
        let ends = facts(false).filter { $0.contains("DevtoolsActionEnded") }
        let own = "action server DevtoolsActionEnded"
        #expect(ends == ["\(own) ada", "\(own) \(none)", "\(own) bob", "\(own) bob", own])
    }

    @Test func `nobody without the devtools' token may do any of it`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        // In another room these are no actions.
        for type in ["kick", "revoke", "reload"] {
            let dispatch = fixture.client.dispatch(
                type: type, payload: ["ticket": "1", "identity": "ada"])
            await #expect(throws: Rejection.self) { try await dispatch.outcome }
        }
        let stranger = RemoteConnection(fixture.url.at("/devtools"), token: { "ada" })
        #expect(await stranger.end()?.code == .unauthenticated)
        await fixture.end()
    }
}
