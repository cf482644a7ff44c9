import StorecastWire
import Testing

@testable import StorecastRoom

struct ConnectionRelayTests {
    private static func pong(_ version: UInt64) -> ServerMessage { .pong(version: version) }

    /// What there is to do, in words.
    private func steps(_ relay: inout ConnectionRelay, isWritable: Bool = true) -> [String] {
        var steps: [String] = []
        while let step = relay.next(isWritable: isWritable) {
            switch step {
            case .write(let messages): steps.append("write \(messages.map(\.json.v))")
            case .read(let reads): steps.append(reads ? "read" : "don't read")
            case .say(.writable): steps.append("say writable")
            case .say: steps.append("say something else")
            case .close(let code, _, let last):
                steps.append("close \(code.rawValue) behind \(last.map(\.json.v))")
            }
        }
        return steps
    }

    @Test func `what is written goes out at once, and the session hears that more may come`() {
        var relay = ConnectionRelay(limit: 1 << 18)
        relay.take(.write([Self.pong(1), Self.pong(2)]))
        #expect(steps(&relay) == ["write [1, 2]", "say writable"])
        #expect(steps(&relay).isEmpty)
    }

    @Test func `a write that the connection refuses is held, and goes out when it can`() {
        var relay = ConnectionRelay(limit: 1 << 18)
        relay.take(.write([Self.pong(1)]))
        #expect(steps(&relay, isWritable: false).isEmpty)
        #expect(!relay.isIdle)
        #expect(steps(&relay) == ["write [1]", "say writable"])
        #expect(relay.isIdle)
    }

    @Test func `the session hears nothing while the last write is half sent`() {
        var relay = ConnectionRelay(limit: 1 << 18)
        relay.take(.write([Self.pong(1)]))
        guard case .write = relay.next(isWritable: true) else {
            Issue.record("Nothing is written.")
            return
        }
        #expect(steps(&relay, isWritable: false).isEmpty)
        #expect(steps(&relay) == ["say writable"])
    }

    @Test func `a close takes along what was refused, whether or not a write is taken`() {
        var relay = ConnectionRelay(limit: 1 << 18)
        relay.take(.write([Self.pong(1)]))
        #expect(steps(&relay, isWritable: false).isEmpty)
        relay.take(.close(.replaced, reason: "", behind: [Self.pong(2)]))
        #expect(steps(&relay, isWritable: false) == ["close 4104 behind [1, 2]"])
        // Nothing comes behind it.
        relay.take(.write([Self.pong(3)]))
        relay.take(.reading(false))
        #expect(steps(&relay).isEmpty)
    }

    @Test func `reading stops while too much is on its way to the other loop`() {
        var relay = ConnectionRelay(limit: 100)
        relay.relayed(100)
        #expect(steps(&relay).isEmpty)
        relay.relayed(1)
        #expect(steps(&relay) == ["don't read"])
        // What was read already still comes.
        relay.relayed(50)
        relay.take(.taken(50))
        #expect(steps(&relay).isEmpty)
        relay.take(.taken(51))
        #expect(steps(&relay) == ["read"])
    }

    @Test func `reading goes on when both allow it`() {
        var relay = ConnectionRelay(limit: 100)
        relay.take(.reading(false))
        #expect(steps(&relay) == ["don't read"])
        relay.relayed(200)
        relay.take(.reading(true))
        #expect(steps(&relay).isEmpty)
        relay.take(.taken(200))
        #expect(steps(&relay) == ["read"])
    }
}
