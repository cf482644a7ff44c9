import StorecastRoom
import StorecastSync
import StorecastWire
import Testing

@testable import StorecastNATS

/// How snapshots are kept in pieces, found, and forgotten, with NATS in memory.
struct SnapshotPiecesTests {
    private let nats = MemoryStreams()
    private let layout = JetStreamLayout(name: "test", streams: 1, replicas: 1)
    private var snapshots: JetStreamSnapshots { JetStreamSnapshots(nats, layout) }

    private static let prefix = "test.snapshots./r."
    private static let manifests = prefix + "at."
    private static let pieces = prefix + "of."

    /// Keeps one that says nothing of a log.
    @discardableResult private func save(
        at offset: UInt64, version: UInt64 = 5, _ content: [UInt8] = Array("{}".utf8),
        in layout: JetStreamLayout? = nil
    ) async throws(JournalError) -> UInt64 {
        try await JetStreamSnapshots(nats, layout ?? self.layout).save(
            of: "/r", offset: offset, version: version, content: { content },
            writing: { _ in nil })
    }

    /// The same, with pieces whose names are known; a manifest that was changed, if `change` is.
    private func put(
        at offset: UInt64, _ pieces: [String], id: String, count: Int? = nil, size: Int? = nil,
        claimed: UInt64? = nil, digest: String? = nil
    ) {
        for piece in pieces { nats.keep(Array(piece.utf8), at: Self.pieces + id) }
        let content = Array(pieces.joined().utf8)
        let sum = digest ?? Base64.text(of: SHA256.digest(of: content))
        let text = """
            {"pieces":"\(id)","count":\(count ?? pieces.count),"offset":\(claimed ?? offset),\
            "version":7,"size":\(size ?? content.count),"sha256":"\(sum)"}
            """
        nats.keep(Array(text.utf8), at: Self.manifests + "\(offset)")
    }

    private func id(at offset: UInt64) throws -> String {
        let text = try #require(nats.texts(of: Self.manifests + "\(offset)").last)
        return try #require(try JSONDocument(Array(text.utf8)).root["pieces"]?.string)
    }

    // MARK: Writing

    @Test(
        arguments: [
            (0, 1 << 20, 1 << 20, []), (256 << 10, 1 << 20, 1 << 20, [256 << 10]),
            (256 << 10 + 1, 1 << 20, 1 << 20, [256 << 10, 1]),
            (25, 10, 1 << 20, [10, 10, 5]), (20, 1 << 20, 10, [10, 10]),
        ] as [(Int, Int, Int, [Int])])
    func `a piece has 256 KiB at most, or what the layout or NATS takes`(
        bytes: Int, layoutBytes: Int, natsBytes: Int, expected: [Int]
    ) async throws {
        nats.state.withLock { $0.mostBytes = natsBytes }
        let layout = JetStreamLayout(
            name: "test", streams: 1, replicas: 1, mostBytes: layoutBytes)
        let content = (0..<bytes).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        #expect(try await save(at: 0, content, in: layout) == 1)
        let id = try id(at: 0)
        #expect(nats.texts(of: Self.pieces + id).map(\.utf8.count) == expected)
        #expect(
            try await snapshots.newest(of: "/r", through: 0)
                == JournalSnapshot(offset: 0, version: 5, content: content))
    }

    @Test func `a manifest says all that is known of it`() async throws {
        try await save(at: 0)
        let id = try id(at: 0)
        #expect(
            nats.texts(of: Self.manifests + "0") == [
                """
                {"pieces":"\(id)","count":1,"offset":0,"version":5,"size":2,\
                "sha256":"RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o="}
                """
            ])
        #expect(nats.subjects == [Self.manifests + "0", Self.pieces + id])
    }

    @Test func `one in the place of another removes its pieces, and those of nothing else`()
        async throws
    {
        try await save(at: 1 << 16, Array("first".utf8))
        try await save(at: 2 << 16, Array("other".utf8))
        let (old, other) = (try id(at: 1 << 16), try id(at: 2 << 16))
        #expect(try await save(at: 1 << 16, Array("second".utf8)) == 5)
        #expect(nats.texts(of: Self.pieces + old) == [])
        #expect(nats.texts(of: Self.pieces + other) == ["other"])
        #expect(
            try await snapshots.read(of: "/r", at: 1 << 16)?.content == Array("second".utf8))
    }

    @Test(
        arguments: [
            (.refused("No."), "No.", false), (.busy("Soon."), "Soon.", false),
            (.notAtEnd, "Another snapshot was written at that moment.", false),
            // It may be there, and is of use then.
            (.unknown("Who knows?"), "Who knows?", true),
        ] as [(JetStream.Written, String, Bool)])
    func `of one whose manifest isn't kept no pieces are left, unless nobody can tell`(
        outcome: JetStream.Written, problem: String, areLeft: Bool
    ) async throws {
        nats.state.withLock { $0.written = [(".at.", outcome)] }
        await #expect(throws: JournalError.unavailable(problem)) { try await save(at: 0) }
        #expect(nats.subjects.isEmpty != areLeft)
        // The same of its pieces: the manifest isn't tried.
        nats.state.withLock { state in
            state.written = [(".of.", outcome)]
            state.messages = []
        }
        await #expect(throws: JournalError.unavailable(problem)) { try await save(at: 0) }
        #expect(nats.subjects == [])
    }

    @Test func `content that can't be had is unfit, and nothing of it is kept`() async throws {
        struct NoContent: Error, CustomStringConvertible { let description = "No content." }
        await #expect(throws: JournalError.unfit(place: 0, "No content.")) {
            try await snapshots.save(
                of: "/r", offset: 0, version: 0, content: { throw NoContent() },
                writing: { _ in nil })
        }
        await #expect(throws: JournalError.replaced("By m.")) {
            try await snapshots.save(
                of: "/r", offset: 0, version: 0, content: { [] },
                writing: { _ throws(JournalError) in throw .replaced("By m.") })
        }
        #expect(nats.subjects == [])
    }

    @Test func `the log's entry is waited for about a second`() async throws {
        await #expect(
            throws: JournalError.unavailable(
                "NATS doesn't have what the log of '/r' has at \(3 << 16).")
        ) {
            try await snapshots.save(
                of: "/r", offset: 3 << 16, version: 0, content: { [] },
                writing: { body throws(JournalError) in try await body() })
        }
        let (pages, pauses) = nats.state.withLock { ($0.pages, $0.pauses) }
        #expect(pages == 20)
        #expect(pauses == [Duration](repeating: .milliseconds(50), count: 19))
        // Another message is in its place, behind it: the snapshot is of none.
        nats.keep([], at: "test.rooms.0./r")
        nats.state.withLock { $0.messages[0].sequence = 4 }
        try await snapshots.save(
            of: "/r", offset: 3 << 16, version: 0, content: { [] },
            writing: { body throws(JournalError) in try await body() })
        let manifest = try #require(nats.texts(of: Self.manifests + "\(3 << 16)").first)
        #expect(!manifest.contains(#""log""#))
    }

    // MARK: Reading

    @Test func `what isn't as it was written is passed over`() async throws {
        put(at: 1, ["whole"], id: "a")
        put(at: 2, ["lost"], id: "b", count: 2, size: 9)
        put(at: 3, ["else"], id: "c", digest: "RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=")
        put(at: 4, ["moved"], id: "d", claimed: 1)
        nats.keep(Array("{}".utf8), at: Self.manifests + "5")
        nats.keep(Array("x".utf8), at: Self.manifests + "6")
        nats.keep(Array("x".utf8), at: Self.manifests + "x")
        #expect(try await snapshots.offsets(of: "/r") == [1, 2, 3, 4, 5, 6])
        for offset in 2...6 as ClosedRange<UInt64> {
            #expect(try await snapshots.read(of: "/r", at: offset) == nil)
        }
        let whole = JournalSnapshot(offset: 1, version: 7, content: Array("whole".utf8))
        #expect(try await snapshots.newest(of: "/r", through: 9) == whole)
        #expect(try await snapshots.newest(of: "/r", through: 1) == whole)
        #expect(try await snapshots.newest(of: "/r", through: 0) == nil)
        #expect(nats.state.withLock(\.pauses) == [])
    }

    @Test func `offsets are ordered as numbers, and those of other rooms aren't among them`()
        async throws
    {
        for offset in [10, 9, 100] as [UInt64] { try await save(at: offset) }
        nats.keep([], at: "test.snapshots./other.at.1")
        #expect(try await snapshots.offsets(of: "/r") == [9, 10, 100])
        #expect(try await snapshots.newest(of: "/r", through: 99)?.offset == 10)
    }

    @Test(
        arguments: [
            (10, 10, true), (9, 10, true), (11, 20, false), (1, 9, false), (10, 19, true),
            (20, 20, false), (1, 30, true),
        ] as [(UInt64, UInt64, Bool)])
    func `one is held that is whole, not below an offset and not above the log's head`(
        offset: UInt64, head: UInt64, expected: Bool
    ) async throws {
        put(at: 10, ["whole"], id: "a")
        put(at: 20, ["lost"], id: "b", count: 2, size: 9)
        #expect(try await snapshots.holds(offset, of: "/r", head: head) == expected)
    }

    @Test func `pieces that a server doesn't have yet are waited for`() async throws {
        put(at: 1, ["one, ", "two, ", "three"], id: "a")
        nats.state.withLock { $0.emptyPages = 20 }
        #expect(
            try await snapshots.read(of: "/r", at: 1)?.content == Array("one, two, three".utf8))
        #expect(
            nats.state.withLock(\.pauses) == [Duration](repeating: .milliseconds(50), count: 20))
        nats.state.withLock { $0.emptyPages = nil }
        await #expect(
            throws: JournalError.unavailable("NATS doesn't have all of the snapshot of '/r' at 1.")
        ) { try await snapshots.read(of: "/r", at: 1) }
        #expect(nats.state.withLock(\.pauses.count) == 40)
    }

    // MARK: Forgetting

    @Test(
        arguments: [(0, [1, 2, 3]), (1, [1, 2, 3]), (2, [2, 3]), (3, [3]), (9, [3])]
            as [(UInt64, [UInt64])])
    func `those before the newest one at or below an offset are forgotten with their pieces`(
        offset: UInt64, left: [UInt64]
    ) async throws {
        for offset in 1...3 as ClosedRange<UInt64> {
            put(at: offset, ["content"], id: "p\(offset)")
        }
        try await snapshots.forget(of: "/r", through: offset)
        #expect(try await snapshots.offsets(of: "/r") == left)
        #expect(
            nats.subjects
                == left.map { Self.manifests + "\($0)" } + left.map { Self.pieces + "p\($0)" })
    }

    @Test func `all are forgotten up to a number, and nothing that was written since`()
        async throws
    {
        #expect(try await snapshots.lastNumber(of: "/r") == 0)
        put(at: 1, ["old"], id: "a")
        #expect(try await snapshots.lastNumber(of: "/r") == 2)
        put(at: 2, ["new"], id: "b")
        nats.keep([], at: "test.snapshots./other.at.1")
        try await snapshots.forgetAll(of: "/r", through: 2)
        #expect(
            nats.subjects == [
                "test.snapshots./other.at.1", Self.manifests + "2", Self.pieces + "b",
            ])
        #expect(nats.state.withLock(\.purged) == ["test.snapshots./r.> below 3"])
    }

    /// Keeps a whole snapshot, pieces of two others before it, and some behind it.
    private func leave() -> UInt64 {
        nats.keep([], at: Self.pieces + "left")
        nats.keep([], at: Self.pieces + "left2")
        let number = nats.state.withLock(\.last) + 1
        put(at: 1, ["whole"], id: "whole")
        nats.keep([], at: Self.pieces + "left2")
        return number
    }

    @Test func `pieces without a manifest go, as far as they are older than what was just kept`()
        async throws
    {
        let number = leave()
        var isFenced = false
        try await snapshots.removeUnfinished(of: "/r", below: number) { isFenced = true }
        #expect(isFenced)
        #expect(
            nats.state.withLock(\.purged)
                == ["left", "left2"].map { Self.pieces + "\($0) below \(number)" })
        #expect(
            nats.subjects
                == [Self.manifests + "1", Self.pieces + "left2", Self.pieces + "whole"])
    }

    @Test func `they stay if another writes the room, or nobody knows whose they are`()
        async throws
    {
        let number = leave()
        await #expect(
            throws: JournalError.unavailable("\(JournalError.replaced("By m."))")
        ) {
            try await snapshots.removeUnfinished(of: "/r", below: number) {
                () throws(JournalError) in throw .replaced("By m.")
            }
        }
        nats.keep(Array("{}".utf8), at: Self.manifests + "2")
        try await snapshots.removeUnfinished(of: "/r", below: number) {
            Issue.record("There is nothing to be done.")
        }
        #expect(nats.state.withLock(\.purged) == [])
    }

    @Test func `nobody is asked whether he writes a room of which nothing is left over`()
        async throws
    {
        put(at: 1, ["whole"], id: "a")
        put(at: 2, ["whole"], id: "b")
        try await snapshots.removeUnfinished(of: "/r", below: 9) {
            Issue.record("There is nothing to be done.")
        }
        #expect(nats.state.withLock(\.purged) == [])
    }
}
