import StorecastWire
import Testing

@testable import StorecastRoom

/// Whoever reaches a limit is counted under its name, and nobody else is.
struct LimitCountTests {
    /// How a limit is reached.
    private struct Case: Sendable {
        let names: Set<String>
        let change: @Sendable (inout SyncLimits) -> Void
        let reach: @Sendable (TestLoop) -> Void

        init(
            _ names: String..., limits change: @escaping @Sendable (inout SyncLimits) -> Void,
            by reach: @escaping @Sendable (TestLoop) -> Void
        ) {
            (self.names, self.change, self.reach) = (Set(names), change, reach)
        }
    }

    private static let address = "192.0.2.1"

    /// A connection that has said hello.
    @discardableResult
    private static func greet(_ id: UInt64, on loop: TestLoop, _ rest: String = "") -> Wire {
        let wire = Wire(id, to: "/a", on: loop, from: address)
        wire.say(hello("client-\(id)-0123456789abcdef", rest))
        return wire
    }

    private static func subscribe(_ count: Int, on loop: TestLoop) {
        let wire = greet(1, on: loop)
        for ref in 1...count {
            wire.say(#"{"op":"subscribe","ref":\#(ref),"select":"line","params":\#(ref + 10)}"#)
        }
    }

    /// As many messages as may come at once, and one more.
    private static func speak(_ loop: TestLoop) {
        let wire = greet(1, on: loop)
        for _ in 1...3 { wire.say(#"{"op":"ping"}"#) }
    }

    private static let slow = SyncRate(
        messages: 1, bytes: .infinity, actions: .infinity, burst: 2)

    private static let cases = [
        Case("rooms", limits: { $0.rooms = 1 }) { loop in
            greet(1, on: loop)
            _ = Wire(2, to: "/b", on: loop)
        },
        Case("memory", limits: { _ in }) { loop in
            _ = loop.rooms.noteMemory(2, mark: 1)
            _ = Wire(1, to: "/a", on: loop)
        },
        Case("memory", limits: { _ in }) { loop in
            greet(1, on: loop).heldBytes = 1 << 20
            for _ in 1...2 { _ = loop.rooms.noteMemory(2, mark: 1) }
        },
        Case("connections-per-address", limits: { $0.connectionsPerAddress = 1 }) { loop in
            for id in 1...2 as ClosedRange<UInt64> { greet(id, on: loop) }
        },
        Case("connections-per-identity", limits: { $0.connectionsPerIdentity = 1 }) { loop in
            loop.authenticator = { _ in .success(Identity("ada")) }
            for id in 1...2 as ClosedRange<UInt64> { greet(id, on: loop) }
        },
        Case("hello-timeout", limits: { _ in }) { loop in
            _ = Wire(1, to: "/a", on: loop)
            greet(2, on: loop)
            loop.advance(by: 10)
        },
        Case("token-bytes", limits: { $0.tokenBytes = 3 }) { loop in
            greet(1, on: loop, #","token":"abc""#)
            greet(2, on: loop, #","token":"abcd""#)
        },
        Case("subscriptions", limits: { $0.subscriptions = 2 }) { subscribe(3, on: $0) },
        Case("parameter-bytes", limits: { $0.parameterBytes = 1 }) { subscribe(1, on: $0) },
        Case("parameter-bytes-per-connection", limits: { $0.parameterBytesPerConnection = 1 }) {
            subscribe(1, on: $0)
        },
        Case("waiting-bytes", limits: { $0.waitingBytes = 1 }) { loop in
            // One always may wait.
            greet(1, on: loop).say(dispatchFrame(1, "Wait"), dispatchFrame(2, "Wait"))
        },
        Case("connection-rate", limits: { $0.connectionRate = slow }) { speak($0) },
        Case("address-rate", limits: { $0.addressRate = slow }) { speak($0) },
        Case("identity-rate", limits: { $0.identityRate = slow }) { loop in
            loop.authenticator = { _ in .success(Identity("ada")) }
            // Its hello came before anybody knew who it is.
            let wire = greet(1, on: loop)
            for _ in 1...3 { wire.say(#"{"op":"ping"}"#) }
        },
        Case(
            "overruns", "connection-rate",
            limits: {
                $0.overruns = 0
                $0.connectionRate = SyncRate(
                    messages: .infinity, bytes: .infinity, actions: 1, burst: 1)
            }
        ) { loop in
            let wire = greet(1, on: loop)
            for seq in 1...2 { wire.dispatch(seq, "AddTea", #"{"by":1}"#) }
        },
        Case("pending-bytes", limits: { ($0.pendingBytes, $0.messageBytes) = (1000, 1000) }) {
            loop in
            loop.authenticator = { _ in nil }
            let wire = greet(1, on: loop)
            for _ in 1...200 where wire.closeCode == nil { wire.say(#"{"op":"ping"}"#) }
        },
    ]

    private static func loop(_ change: (inout SyncLimits) -> Void) -> TestLoop {
        var limits = SyncLimits()
        limits.setRates(.unlimited)
        change(&limits)
        let loop = TestLoop(limits: limits)
        loop.maker = { [unowned loop, limits] path in
            path == "/none" ? nil : loop.open(Shop.room, at: path, limits: limits)
        }
        return loop
    }

    @Test(arguments: cases.indices)
    func `a limit that is reached is counted once, under its name`(number: Int) {
        let example = Self.cases[number]
        let loop = Self.loop(example.change)
        example.reach(loop)
        let counted = loop.rooms.flushes.counts.limits
        #expect(Set(counted.keys) == example.names)
        #expect(counted.values.allSatisfy { $0 == 1 }, "\(counted)")
        // Whoever reaches nothing isn't counted.
        let quiet = Self.loop { _ in }
        example.reach(quiet)
        let always: Set = ["memory", "hello-timeout"]
        #expect(
            Set(quiet.rooms.flushes.counts.limits.keys) == example.names.intersection(always))
    }

    @Test func `who dispatches more than may is told when the next may come`() throws {
        let loop = Self.loop {
            $0.connectionRate = SyncRate(
                messages: .infinity, bytes: .infinity, actions: 0.25, burst: 4)
        }
        let wire = Self.greet(1, on: loop)
        _ = wire.hear()
        for seq in 1...2 { wire.dispatch(seq, "AddTea", #"{"by":1}"#) }
        let reject = try #require(wire.hear().first("reject"))
        #expect(reject["seq"] == 2 && reject.code == "busy" && reject["retryable"] == true)
        #expect(reject["retryAfter"]?.double == 4)
    }

    // MARK: What those are told who aren't let in

    @Test(arguments: [("/none", 2, false), ("no slash", 2, false), ("/b", 1, true)])
    func `who may come later is told when, and who may not isn't`(
        path: String, rooms: Int, isFull: Bool
    ) throws {
        let loop = Self.loop { $0.rooms = rooms }
        Self.greet(1, on: loop)
        let refused = Wire(2, to: path, on: loop)
        let bye = try #require(refused.hear().first)
        #expect(bye.op == "bye" && refused.session == nil)
        #expect(refused.closeCode == (isFull ? .full : .noRoom))
        #expect(bye.code == (isFull ? "full" : "no-room"))
        #expect(bye["reconnect"] == .bool(isFull))
        #expect(bye["after"]?.double == (isFull ? 10 : 0))
        #expect(bye["jitter"]?.double == (isFull ? 10 : 0))
        #expect(loop.rooms.flushes.counts.limits == (isFull ? ["rooms": 1] : [:]))
    }

    @Test func `a name that is too long is refused for good, however many rooms there are`()
        throws
    {
        let loop = Self.loop { $0.rooms = 1 }
        Self.greet(1, on: loop)
        let longest = "/" + String(repeating: "x", count: RoomPath.longestName - 1)
        #expect(Wire(2, to: longest, on: loop).closeCode == .full)
        let refused = Wire(3, to: longest + "x", on: loop)
        let bye = try #require(refused.hear().first)
        #expect(bye.code == "no-room" && bye["reconnect"] == false)
        #expect(bye["title"]?.string == "A room's name may have \(RoomPath.longestName) bytes.")
    }

    // MARK: What a loop has

    @Test func `a loop has as much waiting as its rooms and connections have`() {
        let loop = Self.loop { _ in }
        let journal = TestJournal()
        loop.maker = { [unowned loop] in loop.open(Shop.room, at: $0, journal: journal) }
        let (first, second) = (Self.greet(1, on: loop), Self.greet(2, on: loop))
        let other = Wire(3, to: "/b", on: loop)
        other.say(hello("client-3-0123456789abcdef"))
        for wire in [first, second] { wire.say(#"{"op":"subscribe","ref":1,"select":"tea"}"#) }
        other.say(#"{"op":"subscribe","ref":1,"select":"tea"}"#)
        var gauges = loop.rooms.gauges
        #expect(gauges.connections == 3 && gauges.groups == 2)
        #expect(gauges.rooms.ready == 2 && gauges.rooms.loading == 0)
        #expect(gauges.rooms.failed == 0 && gauges.waitingActions == 0)
        first.dispatch(1, "AddTea", #"{"by":1}"#)
        gauges = loop.rooms.gauges
        #expect(gauges.waitingActions > 0)
        #expect(loop.rooms.outgoing.connections == 0)
        (second.isWritable, second.heldBytes, first.heldBytes) = (false, 77, 5)
        #expect(loop.rooms.outgoing.connections == 1 && loop.rooms.outgoing.bytes == 77)
        loop.rooms.end(3)
        #expect(loop.rooms.gauges.connections == 2)
    }
}

/// When somebody's rate is used up, as numbers alone.
struct TokenBucketTests {
    @Test func `so much may come at once after a pause, and then so much a second`() {
        var bucket = TokenBucket()
        func wait(_ amount: Double, _ now: Double) -> Double {
            bucket.wait(for: amount, at: now, 4, burst: 2)
        }
        #expect(bucket.isFull(at: 0) && wait(1_000_000, 0) == 0)
        for _ in 1...8 {
            #expect(wait(1, 0) == 0)
            bucket.take(1, at: 0, 4)
        }
        // Eight are two seconds' worth.
        #expect(wait(0, 0) == 0 && wait(1, 0) == 0.25 && wait(8, 0) == 2)
        #expect(!bucket.isFull(at: 1.75) && bucket.isFull(at: 2))
        #expect(wait(1, 0.25) == 0 && wait(2, 0.25) == 0.25)
        // A pause saves up no more than that.
        bucket.take(8, at: 100, 4)
        #expect(wait(0, 100) == 0 && wait(4, 100) == 1)
    }

    @Test func `an unlimited rate is never used up`() {
        var bucket = TokenBucket()
        for _ in 1...10 { bucket.take(1e9, at: 5, .infinity) }
        #expect(bucket.isFull(at: 5))
        #expect(bucket.wait(for: 1e9, at: 5, .infinity, burst: 10) == 0)
    }

    @Test func `an identity may do twice, an address ten times what a connection may`() {
        var limits = SyncLimits()
        limits.setRates(SyncRate(messages: 1, bytes: 2, actions: 3, burst: 4))
        #expect(limits.connectionRate == SyncRate(messages: 1, bytes: 2, actions: 3, burst: 4))
        #expect(limits.identityRate == SyncRate(messages: 2, bytes: 4, actions: 6, burst: 4))
        #expect(limits.addressRate == SyncRate(messages: 10, bytes: 20, actions: 30, burst: 4))
    }
}

/// When an identity ends, and when its client is asked for a newer token.
struct IdentityTermTests {
    private func at(_ seconds: Double) -> Timestamp { Timestamp(secondsSince1970: seconds) }

    private func term(
        _ end: Double?, at now: Double = 0, after earlier: IdentityTerm? = nil
    ) -> IdentityTerm? {
        IdentityTerm(
            of: Identity("ada", expires: end.map(at)), at: at(now), margin: .seconds(60),
            after: earlier)
    }

    @Test func `a client is asked once, a minute before the end`() throws {
        #expect(term(nil) == nil)
        var own = try #require(term(600))
        #expect(own.next == at(540))
        let steps = [539.9, 540, 541, 599.9, 600, 601].map { own.step(at: at($0)) }
        #expect(steps == [.wait, .ask(within: 60), .wait, .wait, .end, .end])
        #expect(own.next == at(600))
    }

    @Test func `but not in the first half of a short time`() throws {
        #expect(try #require(term(100, at: 0)).next == at(50))
        #expect(try #require(term(120, at: 0)).next == at(60))
        #expect(try #require(term(121, at: 0)).next == at(61))
    }

    @Test func `who shows the same token again isn't asked again, and who shows a later one is`()
        throws
    {
        var first = try #require(term(600))
        // Who wasn't asked yet still is.
        #expect(try #require(term(600, at: 100, after: first)).next == at(540))
        #expect(first.step(at: at(540)) == .ask(within: 60))
        #expect(try #require(term(600, at: 550, after: first)).next == at(600))
        #expect(try #require(term(590, at: 550, after: first)).next == at(590))
        #expect(try #require(term(700, at: 550, after: first)).next == at(640))
    }

    @Test func `sessions are looked at in their second, until they are forgotten`() {
        var times = SessionTimes()
        #expect(times.isEmpty)
        let noted: [(UInt64, Double)] = [
            (7, 10), (3, 9.1), (5, 10.5), (9, .infinity), (1, -.infinity),
        ]
        for (id, time) in noted { times.set(id, at: at(time)) }
        // Another time takes the place of the first.
        times.set(7, at: at(9.5))
        var due: [[UInt64]] = []
        for moment in [9.9, 10, 10] { due.append(times.takeDue(at: at(moment))) }
        #expect(due == [[1], [3, 7], []])
        times.set(5, at: nil)
        times.set(5, at: nil)
        let late = times.takeDue(at: at(1e9))
        #expect(late == [] && !times.isEmpty)
        times.set(9, at: nil)
        #expect(times.isEmpty)
    }
}
