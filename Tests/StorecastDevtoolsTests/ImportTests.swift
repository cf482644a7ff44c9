import StorecastClient
import StorecastServer
import TestSupport
import Testing

@testable import StorecastDevtools
@testable import StorecastRoom

/// The states of logs that developers bring, and what is found in their past.
@MainActor
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct ImportTests {
    /// Brings a text in pieces of so many characters; the outcome of the last.
    private func bring(
        _ text: String, to fixture: DevtoolsServer, id: String = "log", pieces: Int = 1,
        room: String? = nil
    ) async throws -> JSON {
        let size = text.count / pieces + 1
        var rest = Substring(text)
        var outcome = JSON.null
        repeat {
            var piece: JSONObject = ["id": .string(id), "text": .string(String(rest.prefix(size)))]
            rest = rest.dropFirst(size)
            if rest.isEmpty { piece["isLast"] = true }
            piece["room"] = room.map { .string($0) }
            outcome = try await fixture.devtools.perform("import", piece)
        } while !rest.isEmpty
        return outcome
    }

    /// The lines of a room in which 1, 2, 3 and 4 were added.
    private func log() async throws -> String {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1, 2, 3, 4)
        let lines = try await lines(of: fixture)
        await fixture.end()
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(of fixture: DevtoolsServer) async throws -> [String] {
        let page = try await fixture.devtools.answer("lines", ["room": "/", "after": 0])
        return page["lines"]?.array?.compactMap(\.string) ?? []
    }

    private func state(
        _ fixture: DevtoolsServer, _ id: String, at version: Int, skip: JSON? = nil
    ) async throws -> JSON {
        var parameters: JSONObject = ["id": .string(id), "version": .int(Int64(version))]
        parameters["skip"] = skip
        return try await fixture.devtools.answer("importedAt", .object(parameters))
    }

    @Test(arguments: [1, 3], [1, 5])
    func `a log that is brought is shown at its versions, by this server's room`(
        loops: Int, pieces: Int
    ) async throws {
        let text = try await log()
        let fixture = try await DevtoolsServer(loops: loops)
        #expect(try await bring(text, to: fixture, pieces: pieces)["problem"] == nil)
        for (version, count) in [(0, 0), (1, 1), (3, 6), (4, 10)] {
            let then = try await state(fixture, "log", at: version)
            #expect(then["state"]?["count"] == .int(Int64(count)), "version \(version)")
        }
        let third = try await state(fixture, "log", at: 3)
        #expect(third["undo"] == [["op": "replace", "path": "/count", "value": 3]])
        let without = try await state(fixture, "log", at: 4, skip: [2])
        #expect(without["state"]?["count"] == 8)
        let none = try await state(fixture, "log", at: 5)
        #expect(none["problem"] == "The room hasn't come to this version.")
        await fixture.end()
    }

    /// The log, with a snapshot in place of what led to version 2.
    private func cutLog() async throws -> String {
        let lines = try await log().split(separator: "\n").map(String.init)
        let replay = RoomReplay(Tallies.room)
        try replay.read(lines[0...2].joined(separator: "\n"))
        let snapshot = try JournalLine.snapshot(replay.keptSnapshot()).bytes()
        let cut = [lines[0], String(decoding: snapshot.dropLast(), as: UTF8.self)] + lines[3...]
        return cut.joined(separator: "\n")
    }

    @Test func `a log goes on from the snapshot that it begins with`() async throws {
        let text = try await cutLog()
        let fixture = try await DevtoolsServer()
        #expect(try await bring(text, to: fixture)["problem"] == nil)
        #expect(try await state(fixture, "log", at: 3)["state"]?["count"] == 6)
        let before = try await state(fixture, "log", at: 2)
        #expect(before["problem"] == "The journal no longer has what led to it.")
        await fixture.end()
    }

    private func change(
        _ fixture: DevtoolsServer, _ path: String, through version: Int
    ) async throws -> JSON {
        try await fixture.devtools.answer(
            "importedChange",
            ["id": "log", "path": .string(path), "through": .int(Int64(version))])
    }

    private func first(
        _ fixture: DevtoolsServer, _ test: String, _ value: JSON, through version: Int
    ) async throws -> JSON {
        try await fixture.devtools.answer(
            "importedFirst",
            [
                "id": "log", "path": "/count", "test": .string(test), "value": value,
                "from": 0, "through": .int(Int64(version)),
            ])
    }

    @Test(arguments: [1, 3])
    func `what changed a place of a log, and since when something is so, is found`(
        loops: Int
    ) async throws {
        let text = try await log()
        let fixture = try await DevtoolsServer(loops: loops)
        #expect(try await bring(text, to: fixture)["problem"] == nil)
        let third = try await change(fixture, "/count", through: 3)
        #expect(third["version"] == 3 && third["before"] == 3 && third["after"] == 6)
        #expect(third["dispatch"]?["user"] == "ada" && third["dispatch"]?["version"] == 3)
        // By the first, and never again.
        #expect(try await change(fixture, "/last", through: 4)["version"] == 1)
        let never = try await change(fixture, "/nowhere", through: 4)
        #expect(never == ["version": .null, "from": 0, "through": 4])
        #expect(try await first(fixture, ">", 3, through: 4)["version"] == 3)
        let nothing = try await first(fixture, ">", 10, through: 4)
        #expect(nothing == ["version": .null, "from": 0, "through": 4])
        await fixture.end()
    }

    @Test func `what can't be looked for in a log is said`() async throws {
        let text = try await log()
        let fixture = try await DevtoolsServer()
        let unknown = try await change(fixture, "/count", through: 4)
        #expect(unknown["problem"] == "The server no longer has this log.")
        #expect(try await bring(text, to: fixture)["problem"] == nil)
        let bad = try await change(fixture, "count", through: 4)
        #expect(bad["problem"]?.string?.contains("begins with") == true)
        for later in [
            try await change(fixture, "/count", through: 5),
            try await first(fixture, "=", 99, through: 5),
        ] {
            #expect(later["problem"] == "The room hasn't come to this version.")
        }
        await fixture.end()
    }

    @Test func `a log that begins with a snapshot is looked through from there on`() async throws {
        let text = try await cutLog()
        let fixture = try await DevtoolsServer()
        #expect(try await bring(text, to: fixture)["problem"] == nil)
        #expect(try await change(fixture, "/count", through: 4)["version"] == 4)
        #expect(try await change(fixture, "/count", through: 3)["version"] == 3)
        for version in [1, 2] {
            let before = try await change(fixture, "/count", through: version)
            #expect(before["version"] == .null && before["from"] == before["through"])
        }
        let same = try await change(fixture, "/last", through: 4)
        #expect(same == ["version": .null, "from": 2, "through": 4])
        #expect(try await first(fixture, ">", 3, through: 4)["version"] == 3)
        let begun = try await first(fixture, ">", 2, through: 4)
        #expect(begun["version"] == 2 && begun["dispatch"] == nil)
        await fixture.end()
    }

    @Test func `a log of a room that isn't here is read as another's that is named`() async throws {
        let text = try await log().replacing(#""room":"/""#, with: #""room":"/none""#)
        let fixture = try await DevtoolsServer()
        let refused = try await bring(text, to: fixture)
        #expect(refused["problem"] == "It is the log of '/none': this server has no such room.")
        #expect(try await state(fixture, "log", at: 1)["problem"] != nil)
        #expect(try await bring(text, to: fixture, room: "/")["problem"] == nil)
        #expect(try await state(fixture, "log", at: 4)["state"]?["count"] == 10)
        await fixture.end()
    }

    @Test func `what is no log is refused with the line that is wrong`() async throws {
        let fixture = try await DevtoolsServer()
        let lines = try await log().split(separator: "\n").map(String.init)
        for (text, problem) in [
            ("", "The text is empty."), ("nonsense", "Line 1: "),
            (lines[1], "Line 1: A journal's text begins with its header."),
            ([lines[0], lines[0]].joined(separator: "\n"), "Line 2: A second header"),
            ([lines[0], lines[2], lines[1]].joined(separator: "\n"), "Line 3: The offset"),
        ] {
            let outcome = try await bring(text, to: fixture)
            #expect(outcome["problem"]?.string?.hasPrefix(problem) == true, "\(outcome)")
        }
        let long = String(repeating: "x", count: ImportAction.mostBytes + 1)
        await #expect(throws: Rejection.self) {
            try await bring(long, to: fixture)
        }
        await fixture.end()
    }

    @Test func `which entries led to no version is told, of a room and of a log`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        await #expect(throws: Rejection.self) { try await fixture.add(-1) }
        try await fixture.add(2)
        func outcomes(through version: Int) async throws -> JSON {
            try await fixture.devtools.answer(
                "outcomes", ["room": "/", "through": .int(Int64(version))])
        }
        #expect(
            try await outcomes(through: 1) == ["version": 1, "offset": 1, "ineffective": []])
        let rejected: JSON = ["offset": 2, "rejection": "Only up."]
        #expect(
            try await outcomes(through: 2)
                == ["version": 2, "offset": 3, "ineffective": [rejected]])
        #expect(
            try await outcomes(through: 3)["problem"] == "The room hasn't come to this version.")
        var lines = try await lines(of: fixture)
        // The last came a second time.
        lines.append(lines[3].replacing(#""offset":3"#, with: #""offset":9"#))
        #expect(try await bring(lines.joined(separator: "\n"), to: fixture)["problem"] == nil)
        let imported = try await fixture.devtools.answer("importedOutcomes", ["id": "log"])
        #expect(
            imported == ["version": 2, "offset": 9, "ineffective": [rejected, ["offset": 9]]])
        await fixture.end()
    }

    @Test func `outcomes of a log that begins with a snapshot are those behind it`() async throws {
        let text = try await cutLog()
        let fixture = try await DevtoolsServer()
        #expect(try await bring(text, to: fixture)["problem"] == nil)
        let imported = try await fixture.devtools.answer("importedOutcomes", ["id": "log"])
        #expect(imported == ["version": 4, "offset": 4, "ineffective": []])
        await fixture.end()
    }

    // MARK: The shelf

    private func piece(_ id: String, _ size: Int, isLast: Bool = false) -> ImportAction {
        ImportAction(
            ticket: "t", id: id, text: String(repeating: "x", count: size), isLast: isLast)
    }

    @Test func `four logs are kept, of sixteen megabytes together`() throws {
        var shelf = ImportShelf()
        let header = try #require(
            try? ImportedLog(
                JournalLine.header(room: "/", epoch: "e").bytes()))
        func keeps(_ ids: String) -> Bool {
            "abcdefg".filter { shelf.log(ExactString(String($0))) != nil } == ids
        }
        for id in ["a", "b", "c", "d", "e"] {
            #expect(try shelf.take(piece(id, 1)) == nil)
            #expect(try shelf.take(piece(id, 2, isLast: true))?.count == 3)
            shelf.read(header, as: Tallies.room, ExactString(id))
        }
        #expect(keeps("bcde"))
        _ = try shelf.take(piece("f", ImportShelf.mostBytes - 6, isLast: true))
        shelf.read(header, as: Tallies.room, "f")
        #expect(keeps("def"))
        #expect(throws: Rejection.self) { try shelf.take(piece("f", 1)) }
        #expect(throws: Rejection.self) {
            try shelf.take(piece("g", ImportShelf.mostBytes + 1))
        }
    }
}
