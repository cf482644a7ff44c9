import ArgumentParser
import StorecastRoom
import StorecastSQLite
import StorecastTesting
import TestSupport
import Testing

@testable import StorecastTools

/// What the commands about a journal take for a question that makes sense, and about which room.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalArgumentsTests {
    @Test(
        arguments: [
            (["log", "a", "--last", "0"], "--last takes a number from 1."),
            (
                ["log", "a", "--last", "3", "--after", "2"],
                "Say --last or where to begin, not both."
            ),
            (
                ["log", "a", "--last", "3", "--from", "2"],
                "Say --last or where to begin, not both."
            ),
            (["log", "a", "--after", "1", "--from", "2"], "Say --after or --from"),
            (["log", "a", "--from", "3", "--to", "2"], "Version 3 comes after 2"),
            (["log", "a", "--limit=-1"], "A limit isn't negative."),
            (["export", "a", "--after", "1", "--from", "2"], "Say --after or --from"),
            (["fork", "a", "--at", "0", "--to", "b"], "A version to go on from is 1 or more."),
            (["skip", "a", "--offset", "0"], "Offsets begin at 1."),
            (["replay", "a", "--from", "3", "--to", "2"], "Version 3 comes after 2"),
            (["replay", "a", "--pause=-0.1"], "A pause isn't negative."),
            (["replay", "a", "--pause", "nan"], "A pause isn't negative."),
            (["show", "a"], "Say a version or --offset."),
            (["show", "a", "1", "--offset", "2"], "Say a version or --offset."),
            (["show", "a", "0"], "No entry led to version 0"),
            (["show", "a", "--offset", "0"], "Offsets begin at 1."),
            (["state", "a", "--at", "1", "--offset", "2"], "Say --at or --offset, not both."),
            (["state", "a", "--parameters", "1"], "--parameters and --as go with --select."),
            (["state", "a", "--as", "ada"], "--parameters and --as go with --select."),
        ] as [([String], String)])
    func `what makes no sense is refused for the reason that it has`(
        arguments: [String], words: String
    ) {
        let error = #expect(throws: (any Error).self) { try JournalCommand.parseAsRoot(arguments) }
        let message = error.map { JournalCommand.message(for: $0) } ?? ""
        #expect(message.contains(words), "\(message)")
    }

    @Test(arguments: [
        ["log", "a"], ["log", "a", "--last", "1"], ["log", "a", "--from", "2", "--to", "2"],
        ["log", "a", "--limit", "0"], ["log", "a", "--after", "0", "--to", "2"],
        ["export", "a", "--after", "1"], ["fork", "a", "--at", "1", "--to", "b"],
        ["skip", "a", "--offset", "1"], ["replay", "a", "--from", "2", "--to", "2"],
        ["replay", "a", "--pause", "0"], ["show", "a", "1"], ["show", "a", "--offset", "1"],
        ["state", "a"], ["state", "a", "--at", "0"], ["state", "a", "--select", "b", "--as", "c"],
    ])
    func `what makes sense is taken`(arguments: [String]) {
        #expect(throws: Never.self) { try JournalCommand.parseAsRoot(arguments) }
    }

    // MARK: The room

    private func file(of rooms: [String]) async throws -> (TemporaryDirectory, path: String) {
        let directory = try TemporaryDirectory()
        let path = directory.file("rooms.sqlite")
        let bench = try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
        for room in rooms { try await bench.append(JournalSample.notes(1), to: room) }
        await bench.close()
        return (directory, path)
    }

    /// The room that is read, or why none is.
    private func chosen(_ arguments: String...) -> String {
        do {
            let room = try JournalRoomOptions.parse(arguments).open()
            defer { room.close() }
            return room.name
        } catch {
            return (error as? CommandFailure)?.description ?? "\(error)"
        }
    }

    @Test func `without a name it is the room at the root, or the only one`() async throws {
        let (directory, path) = try await file(of: ["/a", "/", "/b"])
        #expect(chosen(path) == "/")
        #expect(chosen(path, "--room", "/b") == "/b")
        let (other, single) = try await file(of: ["/only"])
        #expect(chosen(single) == "/only")
        #expect(
            chosen(single, "--room", "/")
                == "There is no room '/' in '\(single)'. Say --room with one that is there: "
                + "'/only'.")
        withExtendedLifetime((directory, other)) {}
    }

    @Test func `of many rooms five are named`() async throws {
        let (directory, path) = try await file(of: (1...6).map { "/\($0)\n" })
        let names = (1...5).map { #"'/\#($0)\n'"# }.joined(separator: ", ")
        #expect(
            chosen(path)
                == "There is no room '/' in '\(path)'. Say --room with one that is there: \(names)"
                + " and 1 more.")
        let (other, five) = try await file(of: (1...5).map { "/\($0)" })
        #expect(chosen(five).hasSuffix("'/5'."))
        let (last, empty) = try await file(of: [])
        #expect(chosen(empty) == "There is no room in '\(empty)'.")
        withExtendedLifetime((directory, other, last)) {}
    }
}
