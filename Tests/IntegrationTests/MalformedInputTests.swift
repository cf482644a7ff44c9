import TestSupport
import Testing

/// What no client should send, sent by a client of another make.
@Suite(.fewAtATime) struct MalformedInputTests {
    @Test(
        .enabled(if: Python.isThere, "needs .build/python: see the README's test command"),
        .timeLimit(.minutes(30)), arguments: Room.allCases)
    func `gets the documented answer, and nobody else notices`(room: Room) async throws {
        let server = try await ServeProcess(document: room.document)
        let script = try Python.start("malformed.py", [server.url] + room.arguments)
        let lines = await script.allLines()
        #expect(await script.exitStatus() == 0, "\(lines.joined(separator: "\n"))")
        #expect(await server.stop() == 0)
    }

    @Test(
        .enabled(if: Python.isThere, "needs .build/python: see the README's test command"),
        .timeLimit(.minutes(30)))
    func `connections, subscriptions and dispatches live and end as documented`() async throws {
        let server = try await ServeProcess()
        let script = try Python.start("lifecycle.py", [server.url])
        let lines = await script.allLines()
        #expect(await script.exitStatus() == 0, "\(lines.joined(separator: "\n"))")
        #expect(await server.stop() == 0)
    }

    enum Room: CaseIterable {
        case board, json

        var document: String? {
            self == .json ? #"{"votes":{"coffee":3,"tea":2},"log":[]}"# : nil
        }

        var arguments: [String] {
            self == .json
                ? ["--room", "json", "--selection", "value", "--params", #"{"path":""}"#] : []
        }
    }
}
