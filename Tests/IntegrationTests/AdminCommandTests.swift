import Foundation
import StorecastClient
import StorecastServer
import TestSupport
import Testing

/// What `storecast admin` does to a server, and how it ends.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct AdminCommandTests {
    private static let token = "a token of the devtools' own"

    private func admin(_ arguments: [String]) async throws -> (status: Int32?, text: String) {
        let command = try ChildProcess("storecast", ["admin"] + arguments, takesErrors: true)
        let status = await command.exitStatus()
        return (status, await command.allLines().joined(separator: "\n"))
    }

    @Test func `connections are listed and ended, identities revoked, files read again`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let file = directory.file("token")
        try Self.token.write(toFile: file, atomically: true, encoding: .utf8)
        let server = try await ServeProcess(document: "{}", devtoolsToken: file)
        let ada = RemoteConnection(server.url, token: { "ada" })
        for await status in ada.statuses where status == .live { break }
        let here = [server.url, "--token-file", file]
        let rooms = try await admin(["rooms"] + here)
        #expect(rooms.status == 0)
        #expect(rooms.text.split(separator: "\n").last?.hasSuffix("ready    /") == true)
        let list = try await admin(["connections"] + here + ["--json", "--room", "/"])
        let number = try #require(try JSON(parsing: list.text)["connection"]?.int)
        let unknown = try await admin(["connections"] + here + ["--room", "/lobby"])
        #expect(unknown.status == 1)
        #expect(unknown.text == "Error: No room '/lobby' is open; these are: /.")
        let kick = try await admin(["kick"] + here + ["--connection", "\(number)"])
        #expect(kick.text == "1 connection ended")
        for await case .closed(let end) in ada.statuses {
            #expect(end?.code == Rejection.Code("kicked"))
            break
        }
        let again = try await admin(["kick"] + here + ["--identity", "ada"])
        #expect(again.status == 1)
        #expect(again.text == "Error: Nobody is connected as 'ada'; nobody is connected.")
        let revoke = try await admin(["revoke"] + here + ["ada"])
        #expect(
            revoke.text == "'ada' isn't let in until the server ends; 0 connections ended")
        #expect(try await admin(["revoke"] + here + ["--list"]).text == "ada")
        #expect(try await admin(["revoke"] + here + ["ada", "--undo"]).status == 0)
        #expect(try await admin(["reload"] + here).text == "reloaded")
        try "another token altogether".write(toFile: file, atomically: true, encoding: .utf8)
        let stranger = try await admin(["rooms"] + here)
        #expect(stranger.status == 2)
        #expect(stranger.text.contains("This isn't the token of the devtools."))
        #expect(await server.stop() == 0)
        let plain = try await ServeProcess(document: "{}")
        let none = try await admin(["rooms", plain.url, "--token-file", file])
        #expect(none.status == 2)
        #expect(
            none.text == "Error: The server has no devtools: start it with --devtools-token FILE.")
    }
}
