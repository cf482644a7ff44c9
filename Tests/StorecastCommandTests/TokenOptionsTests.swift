import ArgumentParser
import Foundation
import StorecastTools
import TestSupport
import Testing

@testable import StorecastCommand

/// Where client commands have their token from.
struct TokenOptionsTests {
    private static let variable = ["STORECAST_TOKEN": "from the environment"]
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func token(
        _ arguments: [String], _ environment: [String: String] = variable
    ) throws -> String? {
        try TokenOptions.parse(arguments).token(environment: environment)
    }

    private func file(_ text: [UInt8]) throws -> String {
        let path = directory.file("token")
        try Data(text).write(to: URL(filePath: path))
        return path
    }

    @Test func `the first that there is counts: the option, the file, the environment`() throws {
        let path = try file(Array("from the file".utf8))
        #expect(try token(["--token-file", path, "--token", "from an option"]) == "from an option")
        #expect(try token(["--token-file", path]) == "from the file")
        #expect(try token([]) == "from the environment")
        #expect(try token([], ["STORECAST_TOKEN": ""]) == nil)
        #expect(try token([], [:]) == nil)
        #expect(try token(["--as", "ada"]) == "ada")
    }

    @Test(arguments: [
        ["--as", "ada", "--token", "secret"], ["--as", "ada", "--token-file", "file"],
        ["--token", ""], ["--as", ""], ["--as", " "],
    ])
    func `a name excludes a token, and neither is empty`(arguments: [String]) throws {
        #expect(throws: (any Error).self) { try TokenOptions.parse(arguments) }
    }

    @Test(arguments: [
        ("secret\n", "secret"), ("secret\r\n", "secret"), ("secret\n\n", "secret\n"),
        (" secret ", " secret "), ("sécret", "sécret"),
    ])
    func `of a file's end one newline is no part of the token`(text: String, it: String) throws {
        let path = try file(Array(text.utf8))
        #expect(try token(["--token-file", path]) == it)
    }

    @Test func `8 KiB are a token, and a byte more isn't`() throws {
        let most = String(repeating: "x", count: 8_192)
        #expect(try token(["--token-file", try file(Array((most + "\r\n").utf8))]) == most)
        #expect(try token([], ["STORECAST_TOKEN": most]) == most)
        for text in [most + "x", most + "xx\n", most + most + most] {
            #expect(throws: CommandFailure.self) {
                try token(["--token-file", try file(Array(text.utf8))])
            }
        }
        #expect(throws: CommandFailure.self) { try token([], ["STORECAST_TOKEN": most + "x"]) }
    }

    @Test func `a file without a token is named, and nothing of it is shown`() throws {
        let secret = Array("hush".utf8)
        let long = [UInt8](repeating: 0x68, count: 9_000)
        for (bytes, words) in [
            (secret + [0xFF], "isn't UTF-8"), ([], "no token"), ([0x0A], "no token"),
            (secret + long, "more than 8192 bytes"),
        ] {
            let path = try file(bytes)
            let error = #expect(throws: CommandFailure.self) { try token(["--token-file", path]) }
            let text = error?.description ?? ""
            #expect(text.contains(path) && text.contains(words), "\(text)")
            #expect(!text.contains("hush") && !text.contains("hhh"))
        }
        for path in [directory.file("none"), "/"] {
            let error = #expect(throws: CommandFailure.self) { try token(["--token-file", path]) }
            #expect(error?.description.contains("can't be read: ") == true)
        }
    }

    @Test func `a file is read again for each connection, and what was typed stays`() throws {
        let path = try file(Array("old".utf8))
        let options = try TokenOptions.parse(["--token-file", path])
        _ = try file(Array("new".utf8))
        #expect(try options.newest("old") == "new")
        #expect(try TokenOptions.parse(["--token", "typed"]).newest("typed") == "typed")
        #expect(try TokenOptions.parse([]).newest("from the environment") == "from the environment")
    }
}
