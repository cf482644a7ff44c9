@testable import StorecastRoom
import StorecastWire
import Testing

struct RoomSnapshotTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `a snapshot taken anywhere, and what came behind it, is what the whole log is`(
        seed: UInt64
    ) throws {
        let records = try RandomLog.records(200, seed: seed)
        let whole = RoomReplay(RandomLog.room, limits: RandomLog.limits)
        var snapshots: [JournalSnapshot] = []
        var outcomes: [ReplayedEntry] = []
        for (index, record) in records.enumerated() {
            if index % 9 == 0 { snapshots.append(try whole.keptSnapshot()) }
            outcomes.append(try whole.reduce(record, at: UInt64(index + 1)))
        }
        let end = try whole.keptSnapshot()
        for snapshot in snapshots {
            let part = RoomReplay(RandomLog.room, limits: RandomLog.limits)
            try part.restore(snapshot)
            #expect(try part.keptSnapshot() == snapshot, "seed \(seed)")
            for index in Int(snapshot.offset)..<records.count {
                let entry = try part.reduce(records[index], at: UInt64(index + 1))
                #expect(entry == outcomes[index], "seed \(seed), entry \(index)")
            }
            // State, version, the ledger in its order: everything that the snapshot's text has.
            #expect(try part.keptSnapshot() == end, "seed \(seed), from \(snapshot.offset)")
            #expect(part.state == whole.state, "seed \(seed), from \(snapshot.offset)")
        }
        // The log was worth it.
        #expect(outcomes.contains { $0.outcome == .duplicate }, "seed \(seed)")
        let codes = outcomes.compactMap { entry in
            if case .rejected(let rejection) = entry.outcome { rejection.code } else { nil }
        }
        #expect(Set(codes) == [.forbidden, .invalid, .conflict, .outcomeUnknown], "seed \(seed)")
    }

    @Test func `its text is as documented, and its hash that of another implementation`() throws {
        let replay = RoomReplay(Shop.room)
        let records = [
            try JournalRecord(
                JournalEntry(
                    client: .ada, seq: 1, base: 0, settled: 0, sender: Identity("ada"),
                    time: Timestamp(secondsSince1970: 1), seed: 1,
                    actions: [Write(text: "hi"), AddTea(by: 2)])),
            JournalRecord(
                client: .ada, seq: 2, base: 1, settled: 1, sender: Identity("ada"),
                time: Timestamp(secondsSince1970: 2), seed: 2, actions: [],
                rejection: Rejection(.forbidden, "No.")),
        ]
        for (offset, record) in zip((1 as UInt64)..., records) {
            try replay.reduce(record, at: offset)
        }
        let content = String(decoding: try replay.keptSnapshot().content, as: UTF8.self)
        // printf '{"coffee":0,"log":["hi"],"notes":{},"tea":2}' | sha256sum
        #expect(
            content == #"{"format":1,"schema":1,"version":1,"#
                + #""hash":"2f70f74205c86d02b10075801b3b35dff5553d793f225556898029eb1bbea4b4","#
                + #""clients":{"horizon":0,"records":[{"client":"ada-0123456789abcdef","#
                + #""identity":"ada","first":1,"seq":2,"reduced":1,"horizon":0,"#
                + #""rejections":[{"seq":2,"code":"forbidden","title":"No."}]}]},"#
                + #""state":{"coffee":0,"log":["hi"],"notes":{},"tea":2}}"#)
    }

    @Test func `it has who is in the room, and in which terms its history was written`() throws {
        var terms = RoomTerms()
        terms.begin("first", at: 0)
        terms.begin("second", at: 4)
        let whole = RoomSnapshot(
            state: Shop(tea: 1), version: 7,
            ledger: ClientLedger(window: SyncLimits().window, horizon: 3, []),
            present: ["1": ExactString("ada"), "2": ExactString("bob")], terms: terms)
        var kept = JournalSnapshot(offset: 9, version: 7, content: try whole.encoded(schema: 1))
        let log = RoomLog(Shop.room, limits: SyncLimits(), failed: { _ in })
        log.restore(try log.snapshot(from: kept), at: kept.offset)
        #expect(log.terms == terms)
        #expect(log.present == whole.present)
        #expect(log.store.state == whole.state)
        #expect(log.version == 7 && log.offset == 9 && log.ledger.horizon == 3)
        // What the log goes on from is all that the snapshot had.
        #expect(try log.snapshot?.encoded(schema: 1) == kept.content)
        let text = String(decoding: kept.content, as: UTF8.self)
        let list = #""terms":[{"id":"first","start":0},{"id":"second","start":4}]"#
        let place = try #require(text.firstRange(of: list))
        let odd = #""terms":[{"id":"first","start":0},{"id":"second"}]"#
        kept.content = Array(text.replacingCharacters(place, with: odd).utf8)
        #expect(throws: (any Error).self) { try log.snapshot(from: kept) }
    }

    @Test func `that of a replay has no terms, as a replay isn't told which have begun`() throws {
        var terms = RoomTerms()
        terms.begin("first", at: 0)
        let live = RoomSnapshot(
            state: Shop(tea: 1), version: 7,
            ledger: ClientLedger(window: SyncLimits().window, horizon: 3, []),
            present: ["1": ExactString("ada")], terms: terms)
        let replay = RoomReplay(Shop.room)
        try replay.restore(
            JournalSnapshot(offset: 9, version: 7, content: try live.encoded(schema: 1)))
        let log = RoomLog(Shop.room, limits: SyncLimits(), failed: { _ in })
        let kept = try replay.keptSnapshot()
        log.restore(try log.snapshot(from: kept), at: kept.offset)
        #expect(log.terms == RoomTerms())
        #expect(log.store.state == live.state && log.present == live.present)
        #expect(log.version == 7 && log.offset == 9 && log.ledger.horizon == 3)
        // Who saw the first term may have seen what another one has replaced since.
        log.begin("third")
        #expect(log.terms.relation(of: 7, in: "first", end: 7) == .unknown)
    }

    @Test(arguments: [
        (#""format":1"#, #""format":2"#), (#""schema":1"#, #""schema":2"#),
        (#""schema":1"#, #""schema":0"#), (#""version":1"#, #""version":2"#),
        (#""tea":2"#, #""tea":3"#), (#""seq":1"#, #""sequel":1"#),
        (#""horizon":0,"records""#, #""records""#), (#""clients""#, #""guests""#),
        (#""client":"bob"#, #""client":"ada"#), ("}", ""), (#""state""#, #""estate""#),
    ])
    func `one that was changed is not taken`(change: (String, String)) throws {
        let replay = RoomReplay(Shop.room)
        for (offset, client) in zip((1 as UInt64)..., [String.ada, .bob]) {
            try replay.reduce(
                try JournalRecord(
                    JournalEntry(
                        client: client, seq: 1, base: 0, settled: 0, sender: Identity(client),
                        time: Timestamp(secondsSince1970: 1), seed: 1,
                        actions: offset == 1 ? [AddTea(by: 2)] : [],
                        rejection: offset == 1 ? nil : Rejection(.forbidden, "No."))),
                at: offset)
        }
        var snapshot = try replay.keptSnapshot()
        let text = String(decoding: snapshot.content, as: UTF8.self)
        let place = try #require(text.firstRange(of: change.0))
        snapshot.content = Array(text.replacingCharacters(place, with: change.1).utf8)
        #expect(throws: (any Error).self) { try RoomReplay(Shop.room).restore(snapshot) }
    }
}

extension String {
    fileprivate func firstRange(of part: String) -> Range<Index>? { ranges(of: part).first }

    fileprivate func replacingCharacters(_ range: Range<Index>, with part: String) -> String {
        self[..<range.lowerBound] + part + self[range.upperBound...]
    }
}
