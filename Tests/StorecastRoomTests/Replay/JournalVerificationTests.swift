@testable import StorecastRoom
import Synchronization
import Testing

struct JournalVerificationTests {
    struct Count: Codable, Equatable {
        var sum = 0
        var log: [Int] = []
        var words: Set<String> = []
    }

    struct Add: SyncAction { var by: Int }
    struct Say: SyncAction { var word: String }
    struct Roll: SyncAction {}

    /// A number that the reducer has no business with.
    private final class Die: Sendable {
        private let thrown = Atomic(0)
        func roll() -> Int { thrown.add(1, ordering: .relaxed).newValue }
    }

    private func room(factor: Int = 1, _ die: Die? = nil) -> RoomDefinition<Count> {
        RoomDefinition(
            state: Count(), actions: [Add.self, Say.self, Roll.self], selections: []
        ) { count, action in
            switch action {
            case let add as Add:
                count.sum += add.by * (add.by > 90 ? factor : 1)
            case let say as Say: count.words.insert(say.word)
            case is Roll: count.log.append(die?.roll() ?? 0)
            default: break
            }
        }
    }

    private func records(_ actions: [any SyncAction]) throws -> [JournalRecord] {
        try actions.enumerated().map { index, action in
            try JournalRecord(
                JournalEntry(
                    client: .ada, seq: UInt64(index + 1), base: UInt64(index), settled: 0,
                    sender: .anonymous, time: Timestamp(secondsSince1970: 0), seed: 0,
                    actions: [action]))
        }
    }

    /// Verifies a log whose snapshots were made by `writer`.
    private func verify(
        _ actions: [any SyncAction], by reader: RoomDefinition<Count>,
        snapshots places: [Int] = [], of writer: RoomDefinition<Count>
    ) throws -> JournalVerification<Count> {
        let live = RoomReplay(writer)
        let verification = JournalVerification(reader)
        for (index, record) in try records(actions).enumerated() {
            try live.reduce(record, at: UInt64(index + 1))
            try verification.add(record, at: UInt64(index + 1))
            if places.contains(index + 1) { try verification.check(live.keptSnapshot()) }
        }
        try verification.finish()
        return verification
    }

    @Test func `a log that leads to its snapshots is fine, sets and all`() throws {
        let actions: [any SyncAction] = (0..<2500).map { number in
            number % 5 == 0 ? Say(word: "\(number)") as any SyncAction : Add(by: number % 90)
        }
        let verification = try verify(
            actions, by: room(), snapshots: [700, 1400, 2100], of: room())
        #expect(verification.divergence == nil)
        #expect(verification.verified == (2500, 3))
        #expect(verification.replay.state.words.count == 500)
    }

    @Test(arguments: [1, 999, 1000, 1001, 2345])
    func `a reducer that rolls dice is found at its first roll`(place: Int) throws {
        var actions: [any SyncAction] = (0..<2500).map { _ in Add(by: 1) }
        actions[place - 1] = Roll()
        actions[2400] = Roll()
        let verification = try verify(actions, by: room(Die()), of: room())
        let divergence = try #require(verification.divergence)
        #expect(divergence.kind == .replays)
        #expect(divergence.offset == UInt64(place))
        #expect(divergence.version == UInt64(place))
        #expect(divergence.types == ["Roll"])
        #expect("\(divergence)".contains("first behind offset \(place), version \(place): Roll"))
        #expect("\(divergence)".contains("/log"))
    }

    @Test func `a reducer that was changed since is found between snapshots, with a suspect`()
        throws
    {
        var actions: [any SyncAction] = (0..<300).map { _ in Say(word: "x") }
        actions[220] = Roll()
        actions[249] = Add(by: 91)
        let verification = try verify(
            actions, by: room(factor: 2), snapshots: [100, 200, 300], of: room())
        let divergence = try #require(verification.divergence)
        #expect(divergence.kind == .snapshot)
        #expect((divergence.after, divergence.through) == (200, 300))
        #expect(divergence.offset == 250)
        #expect(divergence.types == ["Add"])
        #expect(verification.verified == (300, 2))
        #expect(divergence.places == [JSONPointer(["sum"])])
        #expect(
            "\(divergence)".contains("the first action that touched what differs is at offset 250"))
    }

    @Test func `a history may begin with a snapshot`() throws {
        let actions: [any SyncAction] = (0..<20).map { Add(by: $0) }
        let (live, verification) = (RoomReplay(room()), JournalVerification(room()))
        for (index, record) in try records(actions).enumerated() {
            try live.reduce(record, at: UInt64(index + 1))
            if index == 9 { try verification.check(live.keptSnapshot()) }
            if index >= 10 { try verification.add(record, at: UInt64(index + 1)) }
        }
        try verification.check(live.keptSnapshot())
        #expect(verification.divergence == nil)
        #expect(verification.verified == (10, 2))
    }

    @Test func `tools verify rooms whose state they don't know`() throws {
        let verification = room(Die()).verification(SyncLimits())
        for (index, record) in try records([Add(by: 1), Roll()]).enumerated() {
            try verification.add(record, at: UInt64(index + 1))
        }
        try verification.finish()
        #expect(verification.divergence?.offset == 2)
        let replay = room().replay(SyncLimits())
        for (index, record) in try records([Add(by: 5)]).enumerated() {
            try replay.reduce(record, at: UInt64(index + 1))
        }
        #expect(try replay.tree()["sum"] == 5)
    }
}
