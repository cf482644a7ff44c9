import Glibc
import Testing
import TestSupport

/// How `storecast dispatch` and `storecast watch` end, and what they say then.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct ClientCommandTests {
    private static let action = ["Say", #"{"text":"x"}"#]

    /// The exit status and all that was written.
    private func run(_ arguments: [String]) async throws -> (status: Int32?, lines: [String]) {
        let command = try ChildProcess("storecast", arguments, takesErrors: true)
        return (await command.exitStatus(), await command.allLines())
    }

    @Test func `a room that isn't there ends them the same way every time`() async throws {
        let server = try await ServeProcess()
        for _ in 1...10 {
            for arguments in [
                ["dispatch", server.url + "x"] + Self.action, ["watch", server.url + "x", "chat"],
            ] {
                let (status, lines) = try await run(arguments)
                #expect(status == 2)
                #expect(lines.count == 1)
                #expect(lines.first?.hasPrefix("Error: The server ended the connection: ") == true)
            }
        }
    }

    @Test func `lines for a room that isn't there are not waited for`() async throws {
        let server = try await ServeProcess()
        let command = try ChildProcess(
            "storecast", ["dispatch", server.url + "nowhere"], takesErrors: true)
        #expect(await command.exitStatus() == 2, "Its input is still open.")
    }

    @Test func `what the room refuses is 1`() async throws {
        let server = try await ServeProcess()
        let dispatch = try await run(["dispatch", server.url, "Nonsense", "{}"])
        #expect(dispatch.status == 1)
        #expect(dispatch.lines.first?.hasPrefix("rejected (unknown-action): ") == true)
        #expect(dispatch.lines.last == "Error: 1 of 1 actions rejected.")
        let watch = try await run(["watch", server.url, "nonsense"])
        #expect(watch.status == 1)
        #expect(watch.lines.count == 1)
    }

    @Test func `a server that isn't there is 2`() async throws {
        let port = try HeldPort()
        let url = "ws://127.0.0.1:\(port.number)/"
        for arguments in [["dispatch", url] + Self.action, ["watch", url, "chat"]] {
            let (status, lines) = try await run(arguments)
            #expect(status == 2)
            #expect(lines.count == 1)
            #expect(lines.first?.hasPrefix("Error: Can't connect to \(url): ") == true)
        }
    }

    @Test(arguments: [
        "http://127.0.0.1:0/", "ftp://127.0.0.1/", "", "127.0.0.1:99999", "ws://", "ws://a b/",
    ])
    func `an address that is none is a bad argument`(address: String) async throws {
        for command in [["dispatch", address] + Self.action, ["watch", address, "chat"]] {
            let (status, lines) = try await run(command)
            #expect(status == 64)
            #expect(lines.first?.hasPrefix("Error: '\(address)' isn't a server's address.") == true)
        }
        let board = try ChildProcess("storecast-board", [address], takesErrors: true)
        #expect(await board.exitStatus() == 64)
        #expect(await board.line(0)?.contains("isn't a server's address") == true)
    }
}
