import Testing

@testable import StorecastNATS

/// Which servers of a cluster are taken for there, by the pulses that came.
struct ServerPulsesTests {
    private let a = ClusterServer(id: "a", address: "ws://a:1")
    private let b = ClusterServer(id: "b", address: "ws://b:1")
    private let c = ClusterServer(id: "c", address: "ws://c:1")
    private var pulses = ServerPulses(own: "a")

    @discardableResult
    private mutating func hear(_ servers: ClusterServer...) -> [ClusterServer] {
        servers.flatMap { pulses.heard($0, isLeaving: false) }
    }

    @Test mutating func `who is silent for seven of one's own pulses is gone, and not before`() {
        hear(a, b)
        for _ in 0..<ServerPulses.patience {
            #expect(hear(a) == [])
            #expect(pulses.presence(of: b) == .present)
        }
        #expect(hear(a) == [b])
        #expect(pulses.presence(of: b) == .gone)
        #expect(hear(a) == [], "It is said once.")
        hear(b)
        #expect(pulses.presence(of: b) == .present)
    }

    @Test mutating func `who hears nothing of itself takes nobody for gone`() {
        hear(a, b)
        for _ in 0..<100 { #expect(hear(c) == []) }
        #expect(pulses.presence(of: b) == .present)
    }

    @Test mutating func `who was never heard is unknown until it would have been`() {
        for _ in 0..<ServerPulses.patience {
            hear(a)
            #expect(pulses.presence(of: b) == .unknown)
        }
        hear(a)
        #expect(pulses.presence(of: b) == .gone)
    }

    @Test mutating func `whose address is another's now is gone at once`() {
        hear(a, b)
        let new = ClusterServer(id: "d", address: b.address)
        #expect(hear(new) == [b])
        #expect(pulses.presence(of: b) == .gone)
        #expect(pulses.presence(of: ClusterServer(id: "e", address: b.address)) == .gone)
        #expect(pulses.presence(of: new) == .present)
    }

    @Test mutating func `each room has a choice that all agree on, and that changes little`() {
        var others = ServerPulses(own: "c")
        for server in [c, b, a] { _ = others.heard(server, isLeaving: false) }
        hear(a, b, c)
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

    @Test mutating func `who gives its rooms away is chosen for none`() {
        hear(a, b)
        _ = pulses.heard(b, isLeaving: true)
        #expect((0..<50).allSatisfy { pulses.choice(for: "/\($0)") == a })
        _ = pulses.heard(a, isLeaving: true)
        #expect(pulses.choice(for: "/") == nil)
    }
}
