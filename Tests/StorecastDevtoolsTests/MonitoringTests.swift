import Foundation
import StorecastSync
import StorecastWire
import Testing

@testable import StorecastDevtools
@testable import StorecastRoom

/// What the devtools make of what they measure and are asked.
struct MonitoringTests {
    // MARK: Latencies

    @Test(arguments: [1, 2, 7, 100, 999, 12_345, 1_000_000, 90_000_000])
    func `a latency is right to within a fifth`(microseconds: Int) throws {
        var latencies = Latencies()
        for _ in 0..<3 { latencies.note(.microseconds(microseconds)) }
        let taken = latencies.take()
        let found = try #require(taken)
        #expect(abs(found.half - Double(microseconds)) <= Double(microseconds) / 5)
        #expect(found.most == found.half)
        #expect(latencies.take() == nil, "What was told isn't told again.")
    }

    @Test func `no latency is out of bounds`() throws {
        var latencies = Latencies()
        latencies.note(.zero)
        latencies.note(.seconds(-1))
        #expect(latencies.take()?.most == exp2(0.25))
        latencies.note(.seconds(1_000_000_000))
        #expect(latencies.take()?.most == exp2(31.75))
    }

    @Test(arguments: [
        (1, 1, true, true), (51, 50, false, true), (99, 1, false, true), (199, 1, false, false),
    ])
    func `of latencies half are at most the one, and 99 in a hundred at most the other`(
        short: Int, long: Int, isHalfLong: Bool, isMostLong: Bool
    ) throws {
        var latencies = Latencies()
        for _ in 0..<long { latencies.note(.milliseconds(100)) }
        for _ in 0..<short { latencies.note(.microseconds(100)) }
        let taken = latencies.take()
        let found = try #require(taken)
        #expect((found.half > 10_000) == isHalfLong)
        #expect((found.most > 10_000) == isMostLong)
    }

    // MARK: Rates

    private func report(
        _ room: String, version: UInt64 = 0, epoch: String = "e", clients: Int = 1,
        messages: UInt64 = 0, bytes: UInt64 = 0
    ) -> RoomReport {
        var traffic = ConnectionTraffic()
        traffic.sent = Traffic(messages: messages, bytes: bytes)
        traffic.received = Traffic(messages: 1, bytes: 2 * bytes)
        let inspection = RoomInspection(
            position: Position(epoch: epoch, version: version), phase: "ready",
            subscriptions: [:], lag: 0, waiting: 0, waitingBytes: 0, actions: [])
        return RoomReport(room, inspection, clients: clients, traffic)
    }

    @Test func `rates are of the time since the report before`() {
        var meter = RateMeter()
        let first = meter.measure([report("/a", version: 5, messages: 7, bytes: 100)], at: 10)
        #expect(first[0].actionsPerSecond == 0 && first[0].messagesPerSecond == 0)
        #expect(meter.samples(of: "/a").map(\.actions) == [0])
        #expect(meter.samples(of: "").map(\.time) == [10])
        let next = meter.measure([report("/a", version: 15, messages: 11, bytes: 500)], at: 12)
        #expect(next[0].actionsPerSecond == 5 && next[0].messagesPerSecond == 2)
        for samples in [meter.samples(of: "/a"), meter.samples(of: "")] {
            #expect(samples.map(\.time) == [10, 12])
            #expect(samples.map(\.actions) == [0, 5])
            #expect(samples.map(\.messages) == [0, 2])
            #expect(samples.map(\.sent) == [0, 200])
            #expect(samples.map(\.received) == [0, 400])
        }
        // No time has passed, as far as the clock knows.
        let again = meter.measure([report("/a", version: 16, messages: 11, bytes: 500)], at: 12)
        #expect(again[0].actionsPerSecond == 1000)
    }

    @Test func `a room that begins anew has no rate, nor one whose counters do`() {
        var meter = RateMeter()
        _ = meter.measure([report("/a", version: 9, bytes: 9), report("/b", version: 9)], at: 1)
        let next = meter.measure(
            [report("/a", version: 8, bytes: 8), report("/b", version: 99, epoch: "f")], at: 2)
        #expect(next.map(\.actionsPerSecond) == [0, 0])
        // Nor one that was away for a while.
        _ = meter.measure([], at: 3)
        #expect(meter.measure([report("/a", version: 50)], at: 4)[0].actionsPerSecond == 0)
    }

    @Test func `rooms are in the order of their clients, and then of their names`() {
        var meter = RateMeter()
        let rooms = meter.measure(
            [
                report("/b", clients: 1), report("/c", clients: 2), report("/a", clients: 1),
                report("/d", clients: 0),
            ], at: 1)
        #expect(rooms.map(\.room) == ["/c", "/a", "/b", "/d"])
    }

    @Test func `all rooms together have the sum, and the slowest journal`() {
        var meter = RateMeter()
        _ = meter.samples(of: "")
        var reports = [report("/a"), report("/b"), report("/c")]
        _ = meter.measure(reports, at: 1)
        for (place, most) in [3.0, 9.0].enumerated() {
            reports[place] = report("/\(place == 0 ? "a" : "b")", version: 2, bytes: 5)
            reports[place].append = Latencies.Percentiles(half: 1, most: most)
            reports[place].commit = Latencies.Percentiles(half: 1, most: 10 - most)
        }
        _ = meter.measure(reports, at: 2)
        let all = meter.samples(of: "")[2]
        #expect(all.actions == 4 && all.sent == 10 && all.received == 20)
        #expect(all.append?.most == 9)
        #expect(all.commit?.most == 7)
    }

    @Test func `four minutes are kept of what somebody looks at`() {
        var meter = RateMeter()
        _ = meter.samples(of: "/a")
        for second in 1...300 {
            // It closes in between.
            _ = meter.measure(second == 250 ? [] : [report("/a")], at: Double(second))
        }
        #expect(meter.samples(of: "/a").map(\.time) == (61...300).map { Double($0) })
        let other = RoomParameters(room: "/b")
        meter.keep([.graphs(RoomParameters(room: "/a")), .room(other)])
        #expect(meter.samples(of: "/a").count == 240)
        meter.keep([.room(RoomParameters(room: "/a")), .graphs(other)])
        #expect(meter.samples(of: "/a").count == 1)
    }

    // MARK: One room

    @Test func `sixteen logs of a room are followed, and those that nobody asks for are forgotten`()
    {
        let monitor = RoomMonitor()
        let filters = (0..<17).map { LogParameters(room: "/", type: ExactString("\($0)")) }
        monitor.follow(filters)
        #expect(monitor.log(filters[15]) == [])
        #expect(monitor.log(filters[16]) == nil)
        monitor.follow([filters[16]])
        #expect(monitor.log(filters[15]) == nil)
        #expect(monitor.log(filters[16]) == [])
    }

    @Test func `what was committed without having been appended took no time`() {
        let monitor = RoomMonitor()
        monitor.committed()
        var found = monitor.takeLatencies()
        #expect(found.append == nil && found.commit == nil)
        monitor.appended()
        found = monitor.takeLatencies()
        #expect(found.append == nil && found.commit == nil)
        monitor.appending()
        monitor.appended()
        monitor.committed()
        found = monitor.takeLatencies()
        #expect(found.append != nil && found.commit != nil)
    }

    @Test(arguments: [(1024, false), (1025, true)])
    func `of a payload of more than a KiB the beginning is shown`(bytes: Int, isCut: Bool) {
        let text = "\"" + String(repeating: "x", count: bytes - 2) + "\""
        let record = JournalRecord(
            client: "c", seq: 7, base: 0, settled: 0, sender: Identity("ada"),
            time: Timestamp(secondsSince1970: 1.5), seed: 0,
            actions: [JournalAction(type: "Add", payload: Array(text.utf8))], rejection: nil)
        let shown = LoggedDispatch(record, cutting: true)
        #expect(shown.user == "ada" && shown.seq == 7 && shown.time == 1.5)
        #expect(shown.participant == participantID(of: "c"))
        #expect(shown.actions[0].type == "Add" && shown.actions[0].bytes == bytes)
        #expect((shown.actions[0].payload == nil) == isCut)
        #expect(shown.actions[0].excerpt == (isCut ? String(text.prefix(240)) : nil))
        #expect(
            LoggedDispatch(record, cutting: false).actions[0].payload?.string?.count == bytes - 2)
    }

    // MARK: Connections

    @Test func `a thousand connections are listed, in the order of their numbers, of all`() {
        func list(_ numbers: some Sequence<Int>, total: Int) -> ConnectionList {
            ConnectionList(
                connections: numbers.map {
                    ConnectionReport(
                        connection: UInt64($0), room: "/", identity: "", address: "",
                        participant: "")
                }, total: total)
        }
        let all =
            list(stride(from: 1, to: 2000, by: 2), total: 1500)
            + list(stride(from: 0, to: 400, by: 2), total: 200)
        #expect(all.total == 1700)
        let numbers: [UInt64] = Array(0..<400) + stride(from: 401, to: 1600, by: 2)
        #expect(all.connections.map(\.connection) == numbers)
    }

    @Test func `what became of a kick is said, and who is there if nobody was meant`() {
        var kicked = KickedConnections()
        let number = KickAction(ticket: "t", connection: 7)
        let name = KickAction(ticket: "t", identity: "a\u{202E}b")
        #expect(
            kicked.outcome(of: number).problem
                == "No connection has the number 7; nobody is connected.")
        kicked.known = Set((10..<22).map { ExactString("u\($0)") })
        #expect(
            kicked.outcome(of: name).problem
                == #"Nobody is connected as 'a\u202eb'; there are: "#
                + (10..<20).map { "u\($0)" }.joined(separator: ", ") + ".")
        #expect(kicked.outcome(of: name).ended == nil)
        kicked.ended = 2
        let outcome = kicked.outcome(of: number)
        #expect(outcome.ended == 2 && outcome.problem == nil)
        #expect(outcome.target == "connection 7")
        #expect(kicked.outcome(of: name).target == "a\u{202E}b")
    }

    @Test func `an outcome is its action's, and is over when that has ended`() {
        var forward = ForwardAction(ticket: "t", room: "/a", type: "Add")
        forward.stamp.id = "1"
        var outcome = DevtoolsOutcome(forward)
        #expect(outcome.id == "1" && outcome.ticket == "t")
        #expect(outcome.room == "/a" && outcome.type == "Add" && !outcome.isOver)
        outcome.take(DevtoolsActionEnded(id: "1", version: 3, ended: 4, problem: "p"))
        #expect(outcome.isOver && outcome.version == 3)
        #expect(outcome.ended == 4 && outcome.problem == "p")
        for (action, type) in [
            (KickAction(ticket: "t", connection: 1), "kick"), (ReloadAction(ticket: "t"), "reload"),
            (RevokeAction(ticket: "t", identity: "ada"), "revoke"),
        ] as [(any DevtoolsAction, String)] {
            #expect(DevtoolsOutcome(action).type == type)
            #expect(DevtoolsOutcome(action).room == nil)
        }
        #expect(RevokeAction(ticket: "t", identity: "a", isUndone: true).auditReason == "undone")
        #expect(RevokeAction(ticket: "t", identity: "a", isUndone: false).auditReason == "")
    }

    // MARK: Questions

    @Test(
        arguments: [
            (.rooms, nil, true, false, false), (.revocations, nil, true, false, false),
            (.cluster, nil, false, false, false),
            (.connections(ConnectionsParameters(room: "/a")), nil, true, false, false),
            (.graphs(RoomParameters(room: "")), nil, true, false, false),
            (.graphs(RoomParameters(room: "/a")), "/a", true, false, false),
            (.room(RoomParameters(room: "/a")), "/a", true, false, false),
            (.state(RoomParameters(room: "/a")), "/a", false, false, false),
            (.log(LogParameters(room: "/a")), "/a", false, false, false),
            (.entry(EntryParameters(room: "/a", number: 1)), "/a", false, false, false),
            (
                .stateAt(OfRoom(RoomParameters(room: "/a"), VersionParameters(version: 1))), "/a",
                false, true, true
            ),
            (.history(HistoryParameters(room: "/a", through: 1)), "/a", false, true, true),
            (.lines(LinesParameters(room: "/a", after: 1)), "/a", false, false, true),
        ] as [(DevtoolsQuestion, ExactString?, Bool, Bool, Bool)])
    func `a question is answered once a second, once for ever, or from the journal`(
        question: DevtoolsQuestion, room: ExactString?, isAboutRates: Bool, isFinal: Bool,
        isOfThePast: Bool
    ) {
        #expect(question.room == room)
        #expect(question.isAboutRates == isAboutRates)
        #expect(question.hasFinalAnswer == isFinal)
        #expect(question.isOfThePast == isOfThePast)
    }

    @Test func `where a past is and what is asked of it are members of one object`() throws {
        let asked = OfImport(ImportParameters(id: "log"), VersionParameters(version: 3, skip: [2]))
        let json: JSON = ["id": "log", "version": 3, "skip": [2]]
        #expect(try JSONCoding.encodeTree(asked) == json)
        #expect(try JSONCoding.decode(OfImport<VersionParameters>.self, from: json) == asked)
    }

    @Test(
        arguments: [
            (5, nil, 4), (5, [], 4), (5, [3], 2), (5, [9], 4), (5, [3, 1], 0), (1, nil, 0),
            (0, nil, 0), (5, [0], 0),
        ] as [(UInt64, [UInt64]?, UInt64)])
    func `a state of the past is begun before all that makes a difference`(
        version: UInt64, skip: [UInt64]?, start: UInt64
    ) {
        let parameters = VersionParameters(version: version, skip: skip)
        #expect(HistoryPlayback(Tallies.room, SyncLimits(), at: parameters).start == start)
    }

    @Test(arguments: [(500, 300), (201, 1), (200, 0), (7, 0)])
    func `a page of history has 200 dispatches`(through: UInt64, start: UInt64) {
        let parameters = HistoryParameters(room: "/", through: through)
        #expect(HistoryPlayback(Tallies.room, SyncLimits(), history: parameters).start == start)
    }
}
