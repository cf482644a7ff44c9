import ArgumentParser
import Foundation
import StorecastRoom
import StorecastSync
import TestSupport
import Testing

@testable import StorecastTools

/// What commands make of their options and of errors, and how they write.
struct CommandDetailsTests {
    // MARK: replicate

    @Test func `what fails is tried again later and later, up to a minute, until it works`() {
        var pace = ReplicationPace(.seconds(1))
        #expect(pace.delay == .seconds(1))
        #expect(pace.succeeded() == nil)
        for seconds in [2, 4, 8, 16, 32, 60, 60] {
            #expect(pace.failed("No space.").hasPrefix("No space. It is tried again in "))
            #expect(pace.delay == .seconds(seconds))
        }
        for _ in 0..<100 { _ = pace.failed("") }
        #expect(pace.delay == .seconds(60))
        #expect(pace.succeeded() == "It works again: what came meanwhile is being copied.")
        #expect(pace.delay == .seconds(1))
        #expect(pace.succeeded() == nil)
        // Not sooner than it would be looked for what is new.
        var slow = ReplicationPace(.seconds(90))
        _ = slow.failed("")
        #expect(slow.delay == .seconds(90))
    }

    private func replicate(_ options: String...) throws -> JournalReplicateCommand {
        try JournalReplicateCommand.parse(["a.sqlite", "folder"] + options)
    }

    @Test func `without options a replica looks each second, and keeps a week`() throws {
        let command = try replicate()
        #expect(command.interval == .seconds(1))
        #expect(command.keep == .seconds(604_800))
        #expect(command.generation == .seconds(86_400))
        #expect(command.command == nil && !command.once)
    }

    @Test(
        arguments: [
            ("10s", 10), ("15m", 900), ("24h", 86_400), ("7d", 604_800), ("500ms", 0.5), ("5", 5),
            ("1.5s", 1.5), ("9999999999", 9_999_999_999),
        ] as [(String, Double)])
    func `a time has a unit, or is in seconds`(text: String, seconds: Double) throws {
        #expect(try replicate("--keep", text).keep == .seconds(seconds))
    }

    @Test(arguments: [
        "0s", "s", "", "1w", "1 s", "1S", "x", "1e5", "10000000000", "115741d", "1..2s",
    ])
    func `what is no time is refused`(text: String) {
        let error = #expect(throws: (any Error).self) { try replicate("--interval", text) }
        let message = error.map { JournalReplicateCommand.message(for: $0) } ?? ""
        #expect(message.contains("'\(text)' is no time: write 10s, 15m, 24h or 7d."))
    }

    @Test func `a command is told the segment, and has failed if its status isn't 0`() throws {
        func run(_ command: String) throws {
            try JournalReplicateCommand.handOver(to: command, "folder/a b", "a b")
        }
        try run(#"test "$FILE" = "folder/a b" -a "$NAME" = "a b""#)
        let error = #expect(throws: CommandFailure.self) { try run("exit 3") }
        #expect(error?.description == "The command ended with status 3 for 'a b'.")
    }

    // MARK: restore

    @Test func `a restore ends at one point at most`() throws {
        func restore(_ options: String...) throws -> JournalRestoreCommand {
            try JournalRestoreCommand.parse(["backup", "file"] + options)
        }
        let whole = try restore()
        #expect(whole.at == nil && whole.offset == nil && whole.to == nil && !whole.replace)
        #expect(
            try restore("--at", "2026-11-24T12:00:00Z").at
                == Timestamp(secondsSince1970: 1_795_521_600))
        #expect(
            try restore("--at", "2026-11-24T12:00:00.250Z").at
                == Timestamp(secondsSince1970: 1_795_521_600.25))
        #expect(try restore("--offset", "7").offset == 7)
        #expect(try restore("--to", "7", "--room", "/a").room == "/a")
        for options in [
            ["--at", "2026-11-24T12:00:00Z", "--offset", "7"], ["--offset", "7", "--to", "7"],
            ["--at", "2026-11-24T12:00:00Z", "--to", "7"], ["--room", "/a"],
            ["--room", "/a", "--offset", "7"], ["--at", "yesterday"], ["--at", "2026-11-24"],
            ["--offset", "-1"],
        ] {
            #expect(throws: (any Error).self) {
                try JournalRestoreCommand.parse(["backup", "file"] + options)
            }
        }
    }

    @Test func `a file that is a backup is restored as it is`() throws {
        let directory = try TemporaryDirectory()
        let backup = directory.file("backup.sqlite")
        try Data("x".utf8).write(to: URL(filePath: backup))
        for options in [
            ["--at", "2026-11-24T12:00:00Z"], ["--offset", "7"], ["--to", "7"],
            ["--generation", "g"],
        ] {
            let command = try JournalRestoreCommand.parse(
                [backup, directory.file("new.sqlite")] + options)
            let failure = #expect(throws: CommandFailure.self) {
                try command.run(writingTo: { _ in })
            }
            #expect(failure?.status == .trouble)
            #expect(
                failure?.description.hasPrefix("'\(backup)' is the journal at one moment.") == true)
        }
        #expect(directory.names == ["backup.sqlite"])
    }

    // MARK: Failures

    @Test func `what a journal says is what a command says`() {
        let sentence = "It is a sentence."
        for error in [
            .unavailable(sentence), .damaged(sentence), .unfit(place: 3, sentence),
            .replaced(sentence), .unknownOutcome(sentence),
        ] as [JournalError] {
            #expect(CommandFailure(error).description == sentence)
            #expect(CommandFailure(error).status == .trouble)
            #expect(CommandFailure(error as any Error).description == sentence)
        }
        #expect(
            CommandFailure(JournalError.truncated(below: 4)).description
                == "The journal can't be read: Entries below the offset 4 are no longer kept.")
        let refused = CommandFailure(.refused, "No.")
        #expect(CommandFailure(refused as any Error).status == .refused)
        struct Other: Error, CustomStringConvertible { var description: String { "Else." } }
        #expect(CommandFailure(Other() as any Error).description == "Else.")
        #expect(CommandFailure.Status.refused.rawValue == 1)
        #expect(CommandFailure.Status.trouble.rawValue == 2)
    }

    @Test func `in a command a journal's error becomes the command's, and others stay`() throws {
        #expect(try CommandFailure.translating { 7 } == 7)
        #expect(throws: CommandFailure.self) {
            try CommandFailure.translating { () throws -> Int in throw JournalError.damaged("d") }
        }
        #expect(throws: CancellationError.self) {
            try CommandFailure.translating { () throws -> Int in throw CancellationError() }
        }
    }

    // MARK: Text

    @Test func `columns are padded, and never cut`() {
        #expect("ab".column(4) == "ab  ")
        #expect("ab".column(4, alignedRight: true) == "  ab")
        #expect("abcde".column(4) == "abcde")
        #expect("".column(0, alignedRight: true) == "")
        for (count, text) in [
            (0, "0 entries"), (1, "1 entry"), (2, "2 entries"), (-1, "-1 entries"),
        ] {
            #expect(count.counting("entry", "entries") == text)
        }
    }

    @Test func `a value is on one line of 76 characters with what is before it`() {
        func text(_ length: Int, _ indent: Int = 0) -> JSON {
            // `["…"]`
            [.string(String(repeating: "x", count: length - 4 - indent))]
        }
        #expect(!text(76).prettyText.contains("\n"))
        #expect(text(77).prettyText.contains("\n"))
        // Within another one it is indented by two.
        let inner: JSON = [text(76, 2), [[]]]
        #expect(inner.prettyText.split(separator: "\n").count == 4)
        let wide: JSON = [text(77, 2), [[]]]
        #expect(wide.prettyText.split(separator: "\n").count == 6)
    }

    @Test func `a file that a command writes is new, and its owner's alone`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("text")
        let output = try TextOutput(to: path)
        try output.write(Array("a\u{1B}\n".utf8))
        try output.close()
        #expect(try directory.permissions("text") == 0o600)
        // As it is: nobody's terminal shows it.
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a\u{1B}\n")
        let again = #expect(throws: CommandFailure.self) { try TextOutput(to: path) }
        #expect(again?.description == "'\(path)' is there already; choose another file.")
        let nowhere = #expect(throws: CommandFailure.self) {
            try TextOutput(to: directory.file("no/where"))
        }
        #expect(nowhere?.description.contains("/no/where' can't be written: ") == true)
        #expect(throws: CommandFailure.self, "It is closed.") { try output.write([1]) }
        #expect(throws: CommandFailure.self) { try output.close() }
        output.discard()
        #expect(directory.names == [])
    }
}
