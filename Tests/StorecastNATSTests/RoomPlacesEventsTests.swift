import StorecastRoom
import Synchronization
import TestSupport
import Testing

@testable import StorecastNATS

/// What a server of a cluster hears, says and is told, with NATS in memory.
@Suite(.timeLimit(.minutes(30))) struct RoomPlacesEventsTests {
    private let nats: MemoryNATS
    private let layout = JetStreamLayout(name: "test", streams: 1, replicas: 1)
    private let places: RoomPlaces
    private let own = ClusterServer(id: "m", address: "ws://m:1")
    private let other = ClusterServer(id: "o", address: "ws://o:1")
    private let heard = Heard()

    /// What the server was told, as texts.
    private final class Heard: Sendable {
        private let events = Mutex<[String]>([])
        /// What it answers operators.
        let answer = Mutex<String?>(nil)

        /// All since it was last asked.
        func take() -> [String] {
            events.withLock { events in
                defer { events = [] }
                return events
            }
        }

        func note(_ event: RoomPlaces.Event) {
            let text =
                switch event {
                case .gone(let server): "gone \(server.id)"
                case .placed(let room, let server): "placed \(room) \(server.id)"
                case .check: "check"
                case .double(let server): "double \(server.id)"
                case .stranger(let server): "stranger \(server.id)"
                case .move(let room, let to, _): "move \(room) \(to ?? "anywhere")"
                case .drain: "drain"
                }
            events.withLock { $0.append(text) }
            switch event {
            case .move(_, _, let answer), .drain(let answer): answer(self.answer.withLock(\.self))
            default: break
            }
        }
    }

    init() throws {
        nats = try MemoryNATS()
        places = RoomPlaces(nats, layout, interval: .milliseconds(500))
    }

    private func begin(key: String? = nil) async {
        await places.begin(as: own, key: key) { [heard] in heard.note($0) }
    }

    private func end() async {
        await places.close()
        await nats.end()
    }

    /// So many of its own pulses come back.
    private func beat(_ count: Int, from first: Int = 0) async {
        let pulses = (first..<first + count).map {
            ServerPulse(server: own, number: $0).payload
        }
        await nats.say(pulses, to: layout.pulses)
    }

    private func pulse(
        _ server: ClusterServer, _ kind: ServerPulse.Kind = .here, key: String? = nil
    ) async {
        let pulse = ServerPulse(server: server, number: 0, kind: kind, key: key)
        await nats.say([pulse.payload], to: layout.pulses)
    }

    @Test func `of many rooms so many are looked up at once, and all of them are found`()
        async throws
    {
        await begin()
        await beat(1)
        nats.state.withLock { $0.holds = true }
        let (found, finder) = AsyncStream<ClusterServer>.makeStream()
        for number in 0..<200 {
            Task { [places] in finder.yield(try await places.server(of: "/\(number)")) }
        }
        #expect(await eventually { nats.state.withLock { $0.held.count == 64 } })
        nats.answerHeld()
        let servers = try await inTime {
            await found.prefix(200).reduce(into: []) { $0.append($1) }
        }
        #expect(servers == Array(repeating: own, count: 200))
        await end()
    }

    @Test func `it looks once a minute who has its rooms, and whenever NATS was away`() async {
        await begin()
        await beat(119)
        #expect(heard.take() == [])
        await beat(1, from: 119)
        #expect(heard.take() == ["check"])
        await beat(120, from: 120)
        #expect(heard.take() == ["check"])
        await nats.reconnect()
        #expect(heard.take() == ["check"])
        await end()
    }

    @Test func `it is told who goes, comes back, and says to be at its address`() async {
        await begin()
        await beat(1)
        await pulse(other)
        await beat(6, from: 1)
        #expect(heard.take() == [])
        await beat(1, from: 7)
        #expect(heard.take() == ["gone o"])
        await pulse(other)
        #expect(heard.take() == ["check"], "It may have thought the same of this one.")
        await pulse(other, .gone)
        #expect(heard.take() == ["gone o"])
        let double = ClusterServer(id: "d", address: own.address)
        await pulse(double)
        #expect(heard.take() == ["gone m", "double d"])
        await pulse(double, .gone)
        #expect(heard.take() == ["gone d"], "It ends, and that is well.")
        await nats.say("no pulse", to: layout.pulses)
        #expect(heard.take() == [])
        await end()
    }

    @Test func `a stranger is said once, and again when it had the right key meanwhile`() async {
        await begin(key: "1")
        await beat(1)
        for key in ["2", "2"] { await pulse(other, key: key) }
        #expect(heard.take() == ["stranger o"])
        #expect(await places.servers.map(\.isStranger) == [false, true])
        await pulse(other, key: "1")
        #expect(heard.take() == [])
        await pulse(other, key: "2")
        #expect(heard.take() == ["stranger o"])
        await end()
    }

    @Test func `it is told of places that others are given, and not of its own`() async {
        await begin()
        func place(_ server: ClusterServer) async {
            await nats.say(
                #"{"room":"/a","server":"\#(server.id)","address":"\#(server.address)"}"#,
                to: layout.placeSubjects)
        }
        await place(other)
        #expect(heard.take() == ["placed /a o"])
        await place(own)
        for text in ["", "[]", #"{"room":"/a"}"#, #"{"server":"o","address":"ws://o:1"}"#] {
            await nats.say(text, to: layout.placeSubjects)
        }
        #expect(heard.take() == [])
        await end()
    }

    @Test func `an operator's request is answered where an answer may go`() async {
        await begin()
        let requests = layout.requests(to: own.id)
        func answers() -> [String] {
            nats.state.withLock { $0.published.filter { $0.subject == "inbox.1" }.map(\.text) }
        }
        await nats.say(#"{"room":"/a","to":"o"}"#, to: requests, reply: "inbox.1")
        #expect(heard.take() == ["move /a o"])
        #expect(await eventually { answers() == ["{}"] })
        heard.answer.withLock { $0 = "It \"can't\"." }
        await nats.say(#"{"room":"/a"}"#, to: requests, reply: "inbox.1")
        await nats.say("{}", to: requests, reply: "inbox.1")
        #expect(heard.take() == ["move /a anywhere", "drain"])
        let problem = #"{"error":"It \"can't\"."}"#
        #expect(await eventually { answers() == ["{}", problem, problem] })
        for reply in [nil, "", "a b", "a\r\nPUB x 0"] as [String?] {
            await nats.say("{}", to: requests, reply: reply)
        }
        await nats.say("[]", to: requests, reply: "inbox.1")
        #expect(heard.take() == [])
        await end()
    }

    @Test func `it isn't ready when it heard nothing of itself for ten pulses`() async {
        #expect(places.link == nil && places.unreadiness == nil)
        nats.state.withLock { $0.time = .seconds(100) }
        await begin()
        #expect(places.link?.servers == 0 && places.link?.pulseAge == .zero)
        await beat(1)
        await pulse(other)
        #expect(places.link?.servers == 1, "As of its last pulse.")
        await beat(1, from: 1)
        #expect(places.link?.servers == 2)
        nats.state.withLock { $0.time = .seconds(105) }
        #expect(places.link?.pulseAge == .seconds(5))
        #expect(places.unreadiness == nil)
        nats.state.withLock { $0.time = .milliseconds(105_001) }
        #expect(places.unreadiness == "Nothing was heard of NATS for 5 s.")
        await pulse(other)
        #expect(places.unreadiness != nil, "Others don't count.")
        await beat(1, from: 2)
        #expect(places.unreadiness == nil)
        await end()
    }

    @Test func `it isn't ready beside one with another key whose id comes first`() async {
        await begin(key: "1")
        await pulse(other, key: "2")
        await beat(1)
        #expect(places.unreadiness == nil, "The other one waits.")
        let first = ClusterServer(id: "a", address: "ws://a:1")
        await pulse(first, key: "2")
        await beat(1, from: 1)
        #expect(places.unreadiness == "The server a at ws://a:1 has another key.")
        await end()
    }

    private func pulses() -> [String] {
        nats.state.withLock { state in
            state.published.filter { $0.subject == layout.pulses }.map(\.text)
        }
    }

    @Test func `it shows itself at once, says that it goes, and hears nothing then`() async {
        await begin(key: "1")
        #expect(await eventually { pulses().count == 1 })
        #expect(
            pulses() == [
                #"{"server":"m","address":"ws://m:1","number":0,"kind":"here","key":"1"}"#
            ])
        #expect(await eventually { nats.state.withLock(\.pauses) == [.milliseconds(500)] })
        await places.close()
        #expect(pulses().last?.contains(#""kind":"gone""#) == true)
        await pulse(other)
        await pulse(other, .gone)
        await nats.reconnect()
        #expect(heard.take() == [])
        await #expect(throws: NATSError.unavailable("The server has left the cluster.")) {
            try await places.server(of: "/a")
        }
        await nats.end()
        #expect(pulses().count == 2, "None follows the last.")
    }

    @Test func `it leaves its rooms only to one that takes them`() async throws {
        let nobody = NATSError.unavailable("There is no other server that takes rooms.")
        await #expect(throws: nobody) { try await places.leave() }
        await begin(key: "1")
        await beat(1)
        await #expect(throws: nobody) { try await places.leave() }
        await pulse(other, .leaving, key: "1")
        await #expect(throws: nobody) { try await places.leave() }
        await pulse(other, key: "2")
        await #expect(throws: nobody) { try await places.leave() }
        await pulse(other, key: "1")
        try await places.leave()
        #expect(pulses().last?.contains(#""kind":"leaving""#) == true)
        await end()
    }

    // MARK: Places

    @Test func `a room is given once, and is whose it is`() async throws {
        await begin()
        await beat(1)
        #expect(try await places.holder(of: "/a") == nil)
        #expect(try await places.server(of: "/a") == own)
        #expect(try await places.holder(of: "/a") == own)
        let kept = nats.state.withLock { $0.kept[layout.place(of: "/a")] }
        #expect(
            kept.map { String(decoding: $0.payload, as: UTF8.self) }
                == #"{"room":"/a","server":"m","address":"ws://m:1"}"#)
        #expect(try await places.server(of: "/a") == own)
        #expect(nats.state.withLock { $0.kept[layout.place(of: "/a")]?.sequence } == 1)
        await pulse(other)
        #expect(try await places.give("/a", to: "o") == other)
        #expect(try await places.server(of: "/a") == other)
        #expect(try await places.give("/a") == other, "It is another's already.")
        for room in ["/b", "/c"] { _ = try await places.server(of: room) }
        #expect(try await places.all().map(\.room) == ["/a", "/b", "/c"])
        // Only what is this server's is forgotten.
        try await places.forget("/a")
        #expect(try await places.holder(of: "/a") == other)
        await end()
    }

    @Test func `of a room that is forgotten nothing is left, and it is given again`() async throws {
        await begin()
        await beat(1)
        for room in ["/a", "/b"] { #expect(try await places.server(of: room) == own) }
        try await places.forget("/a")
        #expect(nats.state.withLock { $0.kept[layout.place(of: "/a")]?.sequence } == nil)
        #expect(try await places.holder(of: "/a") == nil)
        // What was forgotten already, or was never anybody's, takes nothing else along.
        for room in ["/a", "/c"] { try await places.forget(room) }
        #expect(try await places.all().map(\.room) == ["/b"])
        #expect(try await places.server(of: "/a") == own)
        #expect(try await places.all().map(\.room) == ["/b", "/a"])
        await end()
    }

    @Test func `what keeps a room from being given is said`() async throws {
        func refusal(_ body: () async throws(NATSError) -> ClusterServer) async -> String {
            do throws(NATSError) {
                let server = try await body()
                return "\(server.id) has it"
            } catch {
                return error.description
            }
        }
        #expect(
            await refusal { () throws(NATSError) in try await places.give("/a") }
                == "This isn't a server of the cluster.")
        await begin(key: "1")
        await beat(1)
        #expect(
            await refusal { () throws(NATSError) in try await places.give("/a") }
                == "There is no other server that takes rooms.")
        await pulse(other, .leaving, key: "1")
        let third = ClusterServer(id: "s", address: "ws://s:1")
        await pulse(third, key: "2")
        for (id, words) in [
            ("x", "There is no server 'x'."),
            ("o", "The server 'o' was drained, and takes no rooms."),
            ("s", "The server 's' has another key (--edge-key)."),
        ] {
            #expect(
                await refusal { () throws(NATSError) in try await places.give("/a", to: id) }
                    == words)
        }
        await pulse(other, key: "1")
        #expect(
            await refusal { () throws(NATSError) in try await places.give("/a", to: "o") }
                == "Nobody has the room '/a'.")
        _ = try await places.server(of: "/a")
        #expect(try await places.give("/a", to: "m") == own, "It stays.")
        nats.state.withLock { $0.written = [.refused("No space.")] }
        let refused = await refusal { () throws(NATSError) in try await places.server(of: "/new") }
        #expect(refused == "No space.")
        // The one that has it has another key.
        let body = #"{"room":"/s","server":"s","address":"ws://s:1"}"#
        _ = await nats.write(
            Array(body.utf8), to: layout.place(of: "/s"), headers: [:], behind: nil, on: nil)
        let strange = await refusal { () throws(NATSError) in try await places.server(of: "/s") }
        #expect(
            strange
                == "The server s at ws://s:1 has the room '/s', and another key than this one, m at "
                + "ws://m:1: --edge-key, ClusterNode(key:).")
        await end()
    }

    @Test func `who asks a server hears what it says, or that it says nothing`() async throws {
        for (answer, error) in [
            (.success("{}"), nil), (.success(#"{"error":7}"#), nil), (.success("?"), nil),
            (.success(#"{"error":"No."}"#), .refused("No.")),
            (.failure(.noResponders), .refused("The server 'o' isn't there.")),
            (
                .failure(.unanswered("Late.")),
                .unanswered(
                    "The server 'o' doesn't answer; does NATS let it (allow_responses)? Late.")
            ),
            (.failure(.unavailable("Away.")), .unavailable("Away.")),
        ] as [(Result<String, NATSError>, NATSError?)] {
            nats.state.withLock { $0.answer = answer }
            do throws(NATSError) {
                try await places.ask(other, toMove: "/a", to: "m")
                #expect(error == nil)
            } catch let found {
                #expect(found == error)
            }
        }
        let asked = nats.state.withLock { $0.published.last }
        #expect(asked?.subject == "test.requests.o")
        #expect(asked?.text == #"{"room":"/a","to":"m"}"#)
        nats.state.withLock { $0.answer = .success("{}") }
        try await places.ask(other, toMove: nil)
        #expect(nats.state.withLock { $0.published.last?.text } == "{}")
        await end()
    }

    @Test func `who isn't let hear others is told so, and not that nobody is there`() async {
        await begin()
        let error = NATSError.forbidden("No.")
        nats.state.withLock { $0.refused[layout.pulses] = error }
        await #expect(throws: error) { try await places.server(of: "/a") }
        #expect(await places.refusalOfPulses() == error)
        await end()
    }
}
