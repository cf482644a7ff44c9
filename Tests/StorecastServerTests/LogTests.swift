import Foundation
import Logging
import StorecastClient
import StorecastSync
import StorecastWire
import Synchronization
import TestSupport
import Testing

@testable import StorecastServer

/// What lines of the log look like, and how many there are.
@Suite(.fewAtATime) struct LogTests {
    /// Lines of JSON, as they are written.
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])

        /// A logger whose clock stands.
        func logger(at seconds: Double = 0) -> Logger {
            Logger(label: "test\u{1B}[1m") { label in
                JSONLogHandler(
                    label: label, now: { Timestamp(secondsSince1970: seconds) },
                    writingTo: { bytes in
                        self.all.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
                    })
            }
        }
    }

    // MARK: JSON

    @Test func `a line of JSON has the time, the level, the label, the message and the rest`() {
        let lines = Lines()
        let logger = lines.logger(at: 1_798_761_600.2507)
        logger.warning(
            "it's \"full\"",
            metadata: [
                "room": "/", "bytes-in": .stringConvertible(7 as UInt64),
                "seconds": .stringConvertible(0.25), "all": ["a", ["b": "c"]],
            ])
        let expected = #"""
            {"time":"2027-01-01T00:00:00.250Z","level":"warning","label":"test\\u001b[1m",\#
            "message":"it's \"full\"","all":["a",{"b":"c"}],"bytes-in":7,"room":"/",\#
            "seconds":0.25}

            """#
        #expect(lines.all.withLock(\.self) == [expected])
    }

    @Test func `no text can end a line, begin another or take the place of a member`() throws {
        let lines = Lines()
        var logger = lines.logger().safe
        logger[metadataKey: "level"] = "critical"
        let hostile = "\",\"level\":\"x\"}\r\n{\"time\":\0\u{2028}\u{85}\u{202E}\u{9B}31m"
        logger.info(
            "\(hostile)",
            metadata: ["\(hostile)": "\(hostile)", "time": ["\(hostile)", ["\(hostile)": "x"]]])
        let text = try #require(lines.all.withLock(\.self).first)
        #expect(text.hasSuffix("}\n") && text.dropLast().unicodeScalars.allSatisfy(\.isPlain))
        let object = try JSONDocument(Array(text.utf8)).root.json
        #expect(object["level"] == "info")
        #expect(object["level_"] == "critical")
        #expect(object["time"] == "1970-01-01T00:00:00.000Z")
        #expect(object["message"]?.string?.hasPrefix(#"","level":"x"}\u000d\u000a"#) == true)
        #expect(object["time_"] != nil)
    }

    @Test func `what a line says goes before its task's, and that before its logger's`() throws {
        struct Failure: Error, CustomStringConvertible { let description = "It broke." }
        let lines = Lines()
        var logger = lines.logger()
        for key in ["a", "b", "c"] { logger[metadataKey: key] = "logger" }
        logger.handler.metadataProvider = Logger.MetadataProvider { ["b": "task", "c": "task"] }
        logger.error("x", error: Failure(), metadata: ["c": "line"])
        logger.error("y", error: Failure(), metadata: ["error": "another"])
        let found = try lines.all.withLock(\.self).map {
            try JSONDocument(Array($0.utf8)).root.json
        }
        #expect(found.map { $0["a"] } == ["logger", "logger"])
        #expect(found.map { $0["b"] } == ["task", "task"])
        #expect(found.map { $0["c"] } == ["line", "task"])
        #expect(found.map { $0["error"] } == ["It broke.", "another"])
    }

    @Test func `numbers stay numbers where texts are made harmless, and other values are texts`()
        throws
    {
        let lines = Lines()
        lines.logger().safe.info(
            "x",
            metadata: [
                "int": .stringConvertible(-7), "large": .stringConvertible(UInt64.max),
                "half": .stringConvertible(0.5), "yes": .stringConvertible(true),
                "none": .stringConvertible(Double.nan), "list": [.stringConvertible(3)],
                "map": ["k": .stringConvertible(4)],
            ])
        let text = try #require(lines.all.withLock(\.self).first)
        for member in [
            #""int":-7"#, #""large":18446744073709551615"#, #""half":0.5"#, #""yes":"true""#,
            #""none":"nan""#, #""list":[3]"#, #""map":{"k":4}"#,
        ] { #expect(text.contains(member), "\(member) in \(text)") }
    }

    @Test func `a logger that is made harmless has its own level and metadata still`() {
        let lines = Lines()
        #expect(JSONLogHandler(label: "x").logLevel == .info)
        var logger = lines.logger().safe.withoutRepetition
        logger.debug("hidden")
        logger.logLevel = .debug
        logger[metadataKey: "part"] = "owner"
        #expect(logger.logLevel == .debug && logger[metadataKey: "part"] == "owner")
        logger.debug("shown")
        let all = lines.all.withLock(\.self)
        #expect(all.count == 1)
        #expect(all.first?.contains(#""message":"shown","part":"owner"}"#) == true)
    }

    @Test func `an empty text is left out, and nothing is made for a line that isn't logged`() {
        let lines = Lines()
        let logger = lines.logger()
        func never() -> KeyValuePairs<LogField, any CustomStringConvertible & Sendable> {
            Issue.record("It isn't logged.")
            return [:]
        }
        logger.log(.debug, "hidden", never())
        logger.log(.info, "shown", [.reason: "", .host: "a", .seconds: 0, .room: ""])
        #expect(lines.all.withLock(\.count) == 1)
        #expect(
            lines.all.withLock(\.self).first?.contains(
                #""message":"shown","host":"a","seconds":0}"#) == true)
    }

    // MARK: Repetition

    private final class Clock: Sendable {
        private let offset = Mutex(Duration.zero)
        private let start = ContinuousClock.now

        func now() -> ContinuousClock.Instant { start + offset.withLock(\.self) }
        func advance(by time: Duration) { offset.withLock { $0 += time } }
    }

    @Test func `the same message is logged twenty times in ten seconds, then counted`() {
        let clock = Clock()
        let lines = RepeatedLines(now: clock.now)
        let noted = (1...143).map { _ in lines.note(.error, "It fails.") }
        #expect(noted.map(\.isLogged) == (1...143).map { $0 <= 20 })
        #expect(noted.map(\.isFirstHeld) == (1...143).map { $0 == 21 })
        #expect(noted.allSatisfy { $0.due.isEmpty })
        // Another level, and another message.
        #expect(lines.note(.warning, "It fails.").isLogged)
        #expect(lines.note(.error, "Something else fails.").isLogged)
        clock.advance(by: .seconds(10))
        let next = lines.note(.error, "It fails.")
        #expect(next.isLogged)
        #expect(next.due == [.init(level: .error, text: "It fails. … 123 more like this")])
        #expect(lines.takeAll().isEmpty)
    }

    @Test func `what was held back is said though nothing follows, and counted anew`() {
        let lines = RepeatedLines()
        for _ in 1...22 { _ = lines.note(.info, "again") }
        #expect(lines.takeAll() == [.init(level: .info, text: "again … 2 more like this")])
        #expect(lines.takeAll().isEmpty)
        let noted = (1...21).map { _ in lines.note(.info, "again") }
        #expect(noted.last.map { !$0.isLogged && $0.isFirstHeld } == true)
    }

    @Test func `a million different messages take no more memory than 256, and no more lines`() {
        let clock = Clock()
        let lines = RepeatedLines(now: clock.now)
        let logged = (1...1_000).count { lines.note(.error, "Message \($0) fails.").isLogged }
        #expect(logged == 256 + 20)
        #expect(lines.takeAll() == [.init(level: .error, text: "… 724 more lines of other kinds")])
        clock.advance(by: .seconds(10))
        #expect(lines.note(.error, "Message 1001 fails.").isLogged)
    }

    @Test func `messages are the same if their first 256 letters are`() {
        let lines = RepeatedLines()
        let start = String(repeating: "x", count: 255)
        for number in 1...20 { #expect(lines.note(.info, start + "y\(number)").isLogged) }
        #expect(!lines.note(.info, start + "y").isLogged)
        #expect(lines.note(.info, start + "z").isLogged)
    }

    @Test func `what is over makes place for a new message, and is said before it`() {
        let clock = Clock()
        let lines = RepeatedLines(now: clock.now)
        for _ in 1...25 { _ = lines.note(.error, "b") }
        for _ in 1...22 { _ = lines.note(.warning, "a") }
        for number in 3...256 { _ = lines.note(.info, "\(number)") }
        clock.advance(by: .milliseconds(9_999))
        #expect(lines.note(.info, "new").due.isEmpty)
        clock.advance(by: .milliseconds(1))
        let noted = lines.note(.info, "newer")
        #expect(noted.isLogged)
        #expect(
            noted.due == [
                .init(level: .warning, text: "a … 2 more like this"),
                .init(level: .error, text: "b … 5 more like this"),
            ])
        // Both are counted from the beginning again.
        #expect(lines.note(.error, "b").isLogged && lines.note(.info, "newer").isLogged)
    }

    @Test func `a logger says how many more there were, by itself`() async throws {
        let (logger, messages) = MessageLog.make()
        let quiet = logger.withoutRepetition
        for number in 1...25 { quiet.info("again", metadata: ["number": "\(number)"]) }
        var logged: [String] = []
        for await message in messages where !message.hasPrefix("number") {
            logged.append(message)
            if message.contains("more") { break }
        }
        #expect(logged == Array(repeating: "again", count: 20) + ["again … 5 more like this"])
    }

    @Test func `a budget is so many lines a second, and knows what it left out`() {
        var budget = LineBudget(perSecond: 3)
        let taken = (0..<5).map { budget.take(at: .milliseconds(100 * $0)) }
        #expect(taken == [true, true, true, false, false])
        let leftOut = budget.takeLeftOut()
        #expect(leftOut == 2)
        let later = [budget.take(at: .milliseconds(999)), budget.take(at: .seconds(1))]
        #expect(later == [false, true])
        let last = budget.takeLeftOut()
        #expect(last == 1)
    }

    // MARK: Connections

    @Test(.timeLimit(.minutes(30)), arguments: [1, 3])
    func `the end of a connection is one line, with all that there was`(loops: Int) async throws {
        let lines = Lines()
        let room = Tallies.room.validate(Add.self) { _, add, _ in
            if add.number < 0 { throw Rejection(.invalid, "Only up.") }
        }
        let server = SyncServer(
            port: 0, loops: loops, logger: lines.logger(), rooms: { $0 == "/6" ? nil : room }
        ) { credentials in
            guard let token = credentials.token, token.count > 2 else {
                throw Rejection(.unauthenticated, "Not with '\(credentials.token ?? "")'.")
            }
            return Identity(token)
        }
        let url = try await server.start()
        // Whatever loops the rooms live on.
        for number in 1...5 {
            let connection = RemoteConnection("\(url)\(number)", token: { "ada" })
            for number in [1, -1, 2] {
                _ = try? await connection.dispatch(Add(number: number)).outcome
            }
            connection.close()
        }
        for (path, token) in [("6", "eve"), ("7", "2")] {
            _ = await RemoteConnection(url + path, token: { token }).end()
        }
        func ends() throws -> [JSON] {
            try lines.all.withLock(\.self).map { try JSONDocument(Array($0.utf8)).root.json }
                .filter { $0["message"] == "connection ended" }
                .sorted { ($0["room"]?.string ?? "") < ($1["room"]?.string ?? "") }
        }
        #expect(try await eventually { try ends().count == 7 })
        await server.stop()
        let ended = try ends()
        for (number, end) in ended.prefix(5).enumerated() {
            #expect(end["room"] == .string("/\(number + 1)"))
            #expect(end["identity"] == "ada")
            #expect(end["address"] == "127.0.0.1")
            #expect(end["taken"] == 2 && end["rejected"] == 1)
            #expect(end["code"] == "normal")
            // hello and three dispatches, which may be one message; welcome and their outcomes.
            #expect((2...5).contains(end["messages-in"]?.int ?? 0))
            #expect((end["bytes-in"]?.int ?? 0) > 200 && (end["bytes-out"]?.int ?? 0) > 200)
            #expect((end["seconds"]?.double ?? -1) >= 0)
        }
        #expect(ended[5]["code"] == "no-room" && ended[5]["reason"] == "There is no such room.")
        #expect(ended[6]["code"] == "unauthenticated" && ended[6]["reason"] == "Not with '…'.")
        #expect(ended[6]["identity"] == nil)
        #expect(Set(ended.map { $0["connection"]?.int ?? -1 }).count == 7)
    }

    @Test(.timeLimit(.minutes(30)))
    func `beyond a hundred in a second the ends of connections are counted, and that is said`()
        async throws
    {
        let (logger, messages) = MessageLog.make()
        let server = SyncServer(port: 0, logger: logger, rooms: { _ in Tallies.room })
        _ = try await server.start()
        let home = try #require(server.home(of: "/"))
        await home.logEnds(103)
        var (ends, last) = (0, "")
        for await message in messages {
            if message == "connection ended" { ends += 1 }
            if message.hasPrefix("left-out: ") { last = message }
            if !last.isEmpty { break }
        }
        #expect(ends == 100 && last == "left-out: 3")
        await server.stop()
    }

    @Test func `ends are counted by the word of their code, and made-up codes are one`() {
        var traffic = Traffic()
        for code in CloseCode.all + [1005, 1006, 4999, 1234, 0].map({ CloseCode(rawValue: $0) }) {
            traffic.noteEnd(code)
        }
        traffic.noteEnd(.kicked)
        var expected = Dictionary(uniqueKeysWithValues: CloseCode.all.map { ($0.word, 1) })
        expected["kicked"] = 2
        (expected["lost"], expected["other"]) = (2, 3)
        #expect(traffic.ended == expected)
    }

    // MARK: The reference

    @Test func `the reference has every field`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Docs/Reference.md"), encoding: .utf8)
        func names(of part: String) throws -> Set<String> {
            let text = try #require(page.split(separator: "\n## \(part)\n").last)
            let section = try #require(text.split(separator: "\n## ").first)
            let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
            return Set(
                rows.flatMap { row in
                    row.split(separator: "|")[0].matches(of: /`([a-z.-]+)`/).map { String($0.1) }
                })
        }
        #expect(
            try names(of: "The log")
                == Set(JSONLogHandler.members + LogField.allCases.map(\.rawValue)))
        #expect(
            try names(of: "Spans") == Set(SessionTrace.Attribute.allCases.map(\.rawValue)))
        #expect(try names(of: "The audit log") == Set(AuditField.allCases.map(\.rawValue)))
    }
}

extension ServerLoop {
    /// Logs the ends of connections that never were.
    fileprivate func logEnds(_ count: UInt64) {
        guard let core else { return }
        for number in 0..<count {
            let link = RemoteLink(id: number, Credentials(token: nil, path: "/"), from: 0, core)
            core.logEnd(of: link, 1000, "")
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isPlain: Bool { 0x20...0x7E ~= value }
}
