import Testing

@testable import StorecastNATS

/// Which servers of a cluster are taken for there, by the pulses that came.
struct ServerPulsesTests {
    private let a = ClusterServer(id: "a", address: "ws://a:1")
    private let b = ClusterServer(id: "b", address: "ws://b:1")
    private let c = ClusterServer(id: "c", address: "ws://c:1")
    private var pulses: ServerPulses

    init() { pulses = ServerPulses(own: a) }

    @discardableResult
    private mutating func hear(
        _ servers: ClusterServer..., kind: ServerPulse.Kind = .here
    ) -> [ClusterServer] {
        servers.flatMap { pulses.heard(ServerPulse(server: $0, number: 0, kind: kind)) }
    }

    /// A pulse of its own comes back; who is gone with it.
    @discardableResult
    private mutating func beat() -> [ClusterServer] { pulses.heard(pulses.next(.here)) }

    @Test mutating func `who is silent for seven of one's own pulses is gone, and not before`() {
        hear(b)
        for _ in 0..<ServerPulses.patience {
            #expect(beat() == [])
            #expect(pulses.presence(of: b) == .present)
        }
        #expect(beat() == [b])
        #expect(pulses.presence(of: b) == .gone)
        #expect(beat() == [], "It is said once.")
        hear(b)
        #expect(pulses.presence(of: b) == .present)
    }

    @Test mutating func `who hears nothing of itself takes nobody for gone`() {
        beat()
        hear(b)
        for _ in 0..<100 { #expect(hear(c) == []) }
        #expect(pulses.presence(of: b) == .present)
    }

    @Test mutating func `pulses of one's own that come back together are one`() {
        beat()
        hear(b)
        let late = (0..<20).map { _ in pulses.next(.here) }
        for pulse in late { #expect(pulses.heard(pulse) == []) }
        // What was known before is old: who was there has the whole time once more.
        for _ in 1..<ServerPulses.patience {
            #expect(pulses.presence(of: b) == .unknown)
            #expect(pulses.choice(for: "/", but: "a") == nil)
            #expect(beat() == [])
        }
        #expect(pulses.gaps == 1)
        #expect(beat() == [b], "And is gone then, which is said.")
        #expect(pulses.presence(of: b) == .gone)
    }

    @Test mutating func `who is heard again after one was away oneself is there`() {
        beat()
        hear(b)
        for pulse in (0..<20).map({ _ in pulses.next(.here) }) { _ = pulses.heard(pulse) }
        #expect(hear(b) == [])
        #expect(pulses.presence(of: b) == .present)
        for _ in 0..<ServerPulses.patience { #expect(beat() == []) }
    }

    @Test mutating func `who is heard again that was gone may have thought the same of this one`() {
        hear(b)
        for _ in 0...ServerPulses.patience { beat() }
        #expect(pulses.presence(of: b) == .gone && pulses.gaps == 0)
        for _ in 0..<3 { hear(b) }
        #expect(pulses.presence(of: b) == .present && pulses.gaps == 1)
    }

    @Test mutating func `of two at one address the newer one stays, and the other evicts nobody`() {
        hear(b)
        let new = ClusterServer(id: "d", address: b.address)
        #expect(hear(new) == [b])
        for _ in 0..<3 { #expect(hear(b) == []) }
        #expect(pulses.presence(of: new) == .present)
    }

    @Test mutating func `who was never heard is unknown for as long as others may be silent`() {
        for _ in 0..<100 { beat() }
        for _ in 0...ServerPulses.patience {
            #expect(pulses.presence(of: b) == .unknown)
            beat()
        }
        #expect(pulses.presence(of: b) == .gone)
        hear(c)
        #expect(pulses.presence(of: c) == .present)
    }

    @Test mutating func `whose address is another's now is gone at once`() {
        hear(b)
        let new = ClusterServer(id: "d", address: b.address)
        #expect(hear(new) == [b])
        #expect(pulses.presence(of: b) == .gone)
        #expect(pulses.presence(of: new) == .present)
        // One that comes as a third may have come since.
        let third = ClusterServer(id: "e", address: b.address)
        #expect(pulses.presence(of: third) == .unknown)
        // But before this server there was another at its own.
        #expect(pulses.presence(of: ClusterServer(id: "f", address: a.address)) == .gone)
    }

    @Test mutating func `who says that it goes is gone at once`() {
        hear(b, c)
        #expect(hear(b, kind: .gone) == [b])
        #expect(pulses.presence(of: b) == .gone)
        #expect(pulses.choice(for: "/") == c)
        // Also to one that had not heard of it.
        let d = ClusterServer(id: "d", address: "ws://d:1")
        #expect(hear(d, kind: .gone) == [])
        #expect(pulses.presence(of: d) == .gone)
    }

    @Test mutating func `each room has a choice that all agree on, and that changes little`() {
        var others = ServerPulses(own: c)
        for server in [c, b, a] { _ = others.heard(ServerPulse(server: server, number: 0)) }
        beat()
        hear(b, c)
        let rooms = (0..<300).map { "/rooms/\($0)" }
        let chosen = rooms.map { pulses.choice(for: $0) }
        #expect(chosen == rooms.map { others.choice(for: $0) })
        for server in [a, b, c] {
            // A third each; 67 to 133 is four standard deviations of chance to either side.
            #expect((67...133).contains(chosen.count { $0 == server }))
        }
        for (room, before) in zip(rooms, chosen) {
            let without = pulses.choice(for: room, but: "b")
            #expect(without != b)
            if before != b { #expect(without == before) }
        }
    }

    @Test mutating func `who gave its rooms away takes some again when it was started anew`() {
        beat()
        hear(b, kind: .leaving)
        // Its next run has another id at its address; those that it had aren't asked for again.
        let new = ClusterServer(id: "d", address: b.address)
        #expect(hear(new) == [b])
        #expect(pulses.all.map(\.isLeaving) == [false, false])
        #expect(Set((0..<50).map { pulses.choice(for: "/\($0)") }) == [a, new])
    }

    @Test mutating func `who has another key is there, and is given nothing`() {
        pulses = ServerPulses(own: a, key: "1")
        beat()
        _ = pulses.heard(ServerPulse(server: b, number: 0, key: "2"))
        #expect(pulses.presence(of: b) == .present && pulses.isStranger(b))
        #expect((0..<50).allSatisfy { pulses.choice(for: "/\($0)") == a })
        #expect(pulses.choice(for: "/", but: "a") == nil)
        // The other one waits for this.
        #expect(pulses.rival == nil)
        var others = ServerPulses(own: b, key: "2")
        for _ in 0..<2 { _ = others.heard(others.next(.here)) }
        _ = others.heard(ServerPulse(server: a, number: 0, key: "1"))
        #expect(others.rival == a)
        // It has been started anew, with the right one.
        _ = pulses.heard(ServerPulse(server: b, number: 0, key: "1"))
        #expect(Set((0..<50).map { pulses.choice(for: "/\($0)") }) == [a, b])
    }

    @Test mutating func `who doesn't say which key it has, or has none, knows no strangers`() {
        pulses = ServerPulses(own: a, key: "1")
        beat()
        hear(b)
        #expect(Set((0..<50).map { pulses.choice(for: "/\($0)") }) == [a, b])
        pulses = ServerPulses(own: a)
        _ = pulses.heard(ServerPulse(server: b, number: 0, key: "2"))
        _ = pulses.heard(ServerPulse(server: c, number: 0, key: "3"))
        #expect(Set((0..<50).map { pulses.choice(for: "/\($0)") }) == [b, c])
    }

    @Test func `a pulse is read as it was written`() {
        for key in [nil, "1a2b3c4d"] {
            let pulse = ServerPulse(server: a, number: 7, kind: .leaving, key: key)
            #expect(ServerPulse(pulse.payload) == pulse)
        }
    }

    @Test mutating func `who gives its rooms away is chosen only if nobody else is there`() {
        beat()
        hear(b, kind: .leaving)
        #expect((0..<50).allSatisfy { pulses.choice(for: "/\($0)") == a })
        _ = pulses.heard(pulses.next(.leaving))
        #expect(pulses.choice(for: "/") != nil)
        #expect(pulses.choice(for: "/", but: "a") == nil, "It would only give it back.")
    }

    @Test mutating func `what was known is old when one's own pulse is missing for five`() {
        for (missing, gaps) in [(4, 0), (5, 1)] {
            pulses = ServerPulses(own: a)
            beat()
            hear(b)
            let late = (0..<missing).map { _ in pulses.next(.here) }
            _ = pulses.heard(late[0])
            #expect(pulses.gaps == gaps)
            #expect(pulses.presence(of: b) == (gaps == 0 ? .present : .unknown))
        }
        // It counts anew from each that comes.
        beat()
        #expect(pulses.gaps == 1)
    }

    @Test mutating func `a pulse of one's own that isn't the next one counts for nothing`() {
        beat()
        for number in [0, 2, -1] {
            #expect(pulses.heard(ServerPulse(server: a, number: number)) == [])
            #expect(pulses.beats == 1)
        }
        // Nor one of somebody with the same number.
        hear(b)
        #expect(pulses.heard(ServerPulse(server: b, number: 1)) == [])
        #expect(pulses.beats == 1)
        #expect(pulses.next(.here).number == 1)
    }

    @Test mutating func `whoever makes up servers is remembered with a thousand of them`() {
        func made(_ number: Int) -> ClusterServer {
            ClusterServer(id: "x\(number)", address: "ws://x\(number):1")
        }
        for number in 0..<1001 { hear(made(number)) }
        #expect(pulses.all.count == 1000)
        #expect(pulses.presence(of: made(999)) == .present)
        #expect(pulses.presence(of: made(1000)) == .unknown)
        // Those that are there go on, and one that goes makes room.
        hear(made(7), kind: .leaving)
        #expect(pulses.all.count { $0.isLeaving } == 1)
        #expect(hear(made(7), kind: .gone) == [made(7)])
        hear(made(1000))
        #expect(pulses.presence(of: made(1000)) == .present)
        #expect(pulses.presence(of: made(7)) == .gone)
        // Of those that are gone, or are waited for, the oldest thousand are forgotten.
        for number in 2000..<3000 { hear(made(number), kind: .gone) }
        #expect(pulses.presence(of: made(7)) == .unknown)
        #expect(pulses.presence(of: made(2999)) == .gone)
    }

    @Test func `those that are there are in the order of their ids`() {
        var pulses = ServerPulses(own: c)
        for server in [c, a, b] { _ = pulses.heard(ServerPulse(server: server, number: 0)) }
        #expect(pulses.all.map(\.server) == [a, b, c])
    }

    @Test(
        arguments: [
            (#""kind":"here""#, .here), (#""kind":"gone""#, .gone),
            (#""kind":"leaving""#, .leaving), (#""kind":"of a later version""#, .here),
            (#""kind":7"#, .here), (#""more":1"#, .here),
        ] as [(String, ServerPulse.Kind)])
    func `a pulse of another version says that its server is there`(
        member: String, kind: ServerPulse.Kind
    ) {
        let text = #"{"server":"a","address":"ws://a:1","number":7,\#(member)}"#
        #expect(
            ServerPulse(Array(text.utf8)) == ServerPulse(server: a, number: 7, kind: kind))
    }

    @Test(arguments: [
        "", "[]", "7", "{}", #"{"address":"ws://a:1","number":7}"#, #"{"server":"a","number":7}"#,
        #"{"server":"a","address":"ws://a:1"}"#,
        #"{"server":"a","address":"ws://a:1","number":"7"}"#,
        #"{"server":7,"address":"ws://a:1","number":7}"#,
    ])
    func `what isn't a pulse is nobody's`(_ text: String) {
        #expect(ServerPulse(Array(text.utf8)) == nil)
    }

    @Test func `servers are the same if their ids and addresses are, byte by byte`() {
        #expect(a == ClusterServer(id: "a", address: "ws://a:1"))
        #expect(a != ClusterServer(id: "a", address: "ws://a:2"))
        #expect(a != ClusterServer(id: "b", address: "ws://a:1"))
        let (one, other) = ("\u{e9}", "e\u{301}")
        #expect(ClusterServer(id: one, address: "") != ClusterServer(id: other, address: ""))
        #expect(ClusterServer(id: "", address: one) != ClusterServer(id: "", address: other))
        #expect(Set([a, b, c, a]).count == 3)
    }
}
