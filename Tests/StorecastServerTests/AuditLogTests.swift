import Foundation
import Glibc
import StorecastClient
import StorecastSync
import StorecastWire
import Synchronization
import TestSupport
import Testing

@testable import StorecastRoom
@testable import StorecastServer

/// Who did what, and who was refused, as it is written down.
@Suite(.timeLimit(.minutes(30)), .fewAtATime) struct AuditLogTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("audit.jsonl") }

    init() throws { directory = try TemporaryDirectory() }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    private func lines(_ path: String) throws -> [JSON] {
        try text(path).split(separator: "\n").map { try JSONDocument(Array($0.utf8)).root.json }
    }

    private func line(_ selection: String) -> AuditLine {
        var line = AuditLine(.selection, at: Timestamp(secondsSince1970: 0))
        line.add(.selection, selection)
        return line
    }

    // MARK: The file

    @Test func `lines are appended to a file that only its owner can read`() async throws {
        for number in 1...2 {
            let audit = try AuditLog(file: path)
            audit.note(line("\(number)"))
            await audit.flush()
        }
        #expect(
            try text(path)
                == (1...2).map {
                    #"{"time":"1970-01-01T00:00:00.000Z","event":"selection","selection":"\#($0)"}"#
                        + "\n"
                }.joined())
        #expect(try directory.permissions("audit.jsonl") == 0o600)
    }

    @Test func `a file that was moved away is made again`() async throws {
        let audit = try AuditLog(file: path)
        audit.note(line("old"))
        await audit.flush()
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        audit.note(line("late"))
        try await audit.reopen()
        audit.note(line("new"))
        await audit.flush()
        #expect(try lines(path + ".1").map { $0["selection"] } == ["old", "late"])
        #expect(try lines(path).map { $0["selection"] } == ["new"])
    }

    @Test func `the file from before is closed when it is opened anew`() async throws {
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        try #require(reader >= 0)
        defer { close(reader) }
        /// How many bytes there were; -1 for none yet, and 0 if nobody can write any more.
        func read() -> Int {
            var bytes = [UInt8](repeating: 0, count: 1000)
            return Glibc.read(reader, &bytes, bytes.count)
        }
        let audit = try AuditLog(file: path)
        audit.note(line("old"))
        await audit.flush()
        #expect(read() > 0)
        try #require(unlink(path) == 0)
        try await audit.reopen()
        // A process that is being started has it until it runs its program.
        #expect(await eventually { read() == 0 })
    }

    @Test func `what can't be opened is said, and at a reload the old file is written on`()
        async throws
    {
        let error = #expect(throws: ServerError.self) { try AuditLog(file: directory.path) }
        #expect(error?.code == .auditUnwritable)
        #expect(error?.description.contains(directory.path) == true)
        let audit = try AuditLog(file: path)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        await #expect(throws: ServerError.self) { try await audit.reopen() }
        audit.note(line("on"))
        await audit.flush()
        #expect(try lines(path + ".1").map { $0["selection"] } == ["on"])
    }

    @Test func `what a full disk loses is counted, said once, and in the file afterwards`()
        async throws
    {
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: "/dev/full")
        let audit = try AuditLog(file: path)
        let said = Mutex<[String]>([])
        audit.reportTrouble { text in said.withLock { $0.append(text) } }
        for number in 1...3 {
            audit.note(line("\(number)"))
            await audit.flush()
        }
        #expect(
            said.withLock(\.self) == [
                "The audit log '\(path)' can't be written: No space left on device. "
                    + "What is lost is counted."
            ])
        try FileManager.default.removeItem(atPath: path)
        try await audit.reopen()
        audit.note(line("4"))
        await audit.flush()
        let found = try lines(path)
        #expect(found.map { $0["event"] } == ["lost", "selection"])
        #expect(found.first?["lines"] == 3)
        #expect(found.last?["selection"] == "4")
    }

    @Test func `no more waits for the disk than may, and what doesn't fit is counted`()
        async throws
    {
        let size = line("1").bytes.count
        let audit = try AuditLog(file: path, mostWaiting: 2 * size)
        audit.queue.suspend()
        for number in 1...5 { audit.note(line("\(number)")) }
        audit.queue.resume()
        await audit.flush()
        let found = try lines(path)
        #expect(found.map { $0["selection"] } == [nil, "1", "2"])
        #expect(found.first?["lines"] == 3)
    }

    @Test func `whether it could be written is found out without making it`() throws {
        try AuditLog.check(file: path)
        #expect(directory.names == [])
        try Data().write(to: URL(filePath: path))
        try AuditLog.check(file: path)
        // Beside whoever runs the tests.
        try AuditLog.check(file: "audit.jsonl")
        for wrong in [directory.file("none/audit.jsonl"), path + "/audit.jsonl"] {
            let error = #expect(throws: ServerError.self) { try AuditLog.check(file: wrong) }
            #expect(error?.code == .auditUnwritable)
            let start = "The audit log '\(wrong)' can't be written: "
            #expect(error?.description.hasPrefix(start) == true)
        }
    }

    /// The file has place for one line and a half until it is let grow.
    @Test func `a line that is cut short is ended before the next, and counted as lost`() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = directory.file("audit.jsonl")
            let said = Mutex<[String]>([])
            let audit = try AuditLog(file: path)
            audit.reportTrouble { text in said.withLock { $0.append(text) } }
            signal(SIGXFSZ, SIG_IGN)
            let size = AuditLine.lost(1).bytes.count
            for round in 1...2 {
                let written = try Data(contentsOf: URL(filePath: path)).count
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                let before = limit.rlim_cur
                limit.rlim_cur = rlim_t(written + size + size / 2)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                audit.queue.suspend()
                for _ in 1...3 { audit.note(AuditLine.lost(1)) }
                audit.queue.resume()
                await audit.flush()
                limit.rlim_cur = before
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                // That it goes wrong is said each time that it begins to.
                #expect(said.withLock(\.count) == round)
                audit.note(AuditLine.lost(7))
                await audit.flush()
            }
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            let whole = lines.compactMap { try? JSONDocument(Array($0.utf8)).root.json["lines"] }
            // All three are counted as lost, though the first of them is there.
            #expect(whole == [1, 3, 7, 1, 3, 7])
            #expect(lines.count == 9 && lines.last == "")
        }
    }

    @Test func `a server logs that it can't be written`() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: "/dev/full")
        let audit = try AuditLog(file: path)
        let (logger, messages) = MessageLog.make()
        let server = SyncServer(port: 0, logger: logger, audit: audit, room: Tallies.room)
        let room = try await server.started("/", of: Tallies.self)
        _ = try await room.dispatch(Add(number: 1)).outcome
        await audit.flush()
        #expect(
            await messages.contains(
                "The audit log '\(path)' can't be written: No space left on device. "
                    + "What is lost is counted."))
        await server.stop()
    }

    @Test func `a server opens it anew when it reloads, and has it complete when it has stopped`()
        async throws
    {
        let server = SyncServer(
            port: 0, audit: try AuditLog(file: path), room: Tallies.room)
        let room = try await server.started("/", of: Tallies.self)
        _ = try await room.dispatch(Add(number: 1)).outcome
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try await server.reload()
        _ = try await room.dispatch(Add(number: 2), as: Identity("ada")).outcome
        await server.stop()
        let (old, new) = (try lines(path + ".1"), try lines(path))
        #expect(old.map { $0["version"] } == [1] && new.map { $0["version"] } == [2])
        #expect(old.first?["identity"] == "server" && new.first?["identity"] == "ada")
        // Nobody is connected who did this.
        for line in old + new {
            #expect(line["address"] == nil && line["connection"] == nil)
            #expect(line["room"] == "/" && line["type"] == "Add" && line["outcome"] == "taken")
        }
    }

    // MARK: What is in it

    @Test func `of a client's id there is a digest, and of long or hostile texts little`() throws {
        let client = "6f1d3a5c9b7e42d08a4c1e6b5f927d30"
        var line = AuditLine(.entry)
        line.add(Identity("a\"\n\u{202E}" + String(repeating: "b", count: 9_000)), client: client)
        let text = String(decoding: line.bytes, as: UTF8.self)
        #expect(!text.contains(client) && text.utf8.count < 500)
        #expect(text.dropLast().utf8.allSatisfy { $0 >= 0x20 })
        let object = try JSONDocument(Array(text.utf8)).root.json
        #expect(object["client"] == .string(participantID(of: client)))
        #expect(object["identity"]?.string?.hasPrefix(#"a"\u000a\u202ebbb"#) == true)
    }

    @MainActor @Test(arguments: [1, 3])
    func `who did what and who was refused is in it, and nothing that is secret`(
        loops: Int
    ) async throws {
        let audit = try AuditLog(file: path)
        let room = Tallies.room.validate(Add.self) { _, add, _ in
            if add.number < 0 { throw Rejection(.invalid, "Only up.", detail: "\(add.number)") }
        }
        .allowEntry(.roles("member"))
        let server = SyncServer(
            port: 0, loops: loops, audit: audit, rooms: { _ in room }
        ) { credentials in
            switch credentials.token {
            case "token-of-ada": return Identity("ada", roles: ["member"])
            case "token-of-bob": return Identity("bob")
            default: throw Rejection(.unauthenticated, "No '\(credentials.token ?? "")'.")
            }
        }
        let url = try await server.start()
        let ada = RemoteConnection(url, token: { "token-of-ada" })
        _ = try await ada.dispatch(Add(number: 271_828)).outcome
        _ = try? await ada.dispatch(Add(number: -4711)).outcome
        _ = try? await ada.dispatch(type: "Nope", payload: ["secret": 4711]).outcome
        let store = RemoteStore<JSON>(
            selection: "nonsense", parameters: nil, on: ada)
        #expect(await eventually { store.problem != nil })
        ada.close()
        for token in ["token-of-bob", "token-of-eve"] {
            _ = await RemoteConnection(url, token: { token }).end()
        }
        await server.stop()
        let text = try text(path)
        for secret in ["token-of", "4711", "271828", "number"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        let found = try lines(path)
        let facts = found.map { line in
            ["event", "outcome", "identity", "type", "selection", "code", "title"]
                .map { line[$0]?.string ?? "" }.filter { !$0.isEmpty }.joined(separator: " ")
        }
        #expect(
            facts == [
                "entry taken ada", "action taken ada Add",
                "action refused ada Add invalid Only up.",
                "action refused ada Nope unknown-action "
                    + "The room doesn't take actions of this type.",
                "selection refused ada nonsense unknown-selection The room has no such selection.",
                "entry refused bob forbidden \(found[5]["title"]?.string ?? "")",
                "token refused unauthenticated No '…'.",
            ])
        #expect(found.allSatisfy { $0["address"] == "127.0.0.1" && $0["room"] == "/" })
        #expect(found.allSatisfy { $0["connection"]?.int != nil })
        #expect(Set(found.prefix(5).map { $0["client"]?.string ?? "" }).count == 1)
        #expect(found[1...3].map { $0["version"] } == [1, 1, 1])
    }

    @Test(
        arguments: [
            (.unauthenticated, "token"), (.expired, "token"), (.revoked, "token"),
            (.forbidden, "entry"), (.noRoom, "entry"), (.full, "entry"), (.kicked, "kick"),
            (.goingAway, nil), (.busy, nil), (.replaced, nil),
        ] as [(CloseCode, String?)])
    func `a connection that ends because of who somebody is has a line that says why`(
        code: CloseCode, event: String?
    ) async throws {
        let audit = try AuditLog(file: path)
        let server = SyncServer(port: 0, audit: audit, room: Tallies.room)
        let client = RemoteConnection(try await server.start())
        #expect(await client.isLive())
        await server.home(of: "/")?.endConnections(code, "So it is.")
        client.close()
        await server.stop()
        let refused = try lines(path).filter { $0["outcome"] == "refused" }
        #expect(refused.compactMap { $0["event"]?.string } == [event].compactMap { $0 })
        #expect(refused.allSatisfy { $0["code"]?.string == code.word })
        #expect(refused.allSatisfy { $0["title"] == "So it is." })
    }
}

extension SyncServer {
    /// Starts; returns one of its rooms.
    fileprivate func started<State: Codable & Sendable>(
        _ path: String, of type: State.Type
    ) async throws -> LiveRoom<State> {
        _ = try await start()
        return try await room(path, of: type)
    }
}

extension ServerLoop {
    /// Ends the connections to the loop's rooms.
    fileprivate func endConnections(_ code: CloseCode, _ title: String) {
        for (_, session) in core?.rooms.sessions ?? [:] { session.close(code, title) }
    }
}
