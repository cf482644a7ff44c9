import Testing

@testable import StorecastMirror
@testable import StorecastRoom

/// Programs that begin and end at any moment and keep their mirrors, against a room that goes on.
struct KeptMirrorsTests {
    @Test func `a second start is sent no value that is still right`() throws {
        let device = Device(seed: 1)
        device.write()
        device.select("log")
        device.connect()
        device.program.settle()
        device.end(gracefully: true)
        device.select("log")
        #expect(device.mirrors[0].value == ["1"])
        device.connect()
        device.program.speak()
        while device.program.hasUnderway { device.program.arrive() }
        device.loop.endTurn()
        let frames = try #require(device.program.wire).messages
            .map { parsed(String(decoding: $0.text, as: UTF8.self)).op }
        #expect(frames.filter { $0 != "transaction" } == ["welcome", "subscribed", "current"])
        device.rest()
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `what is shown was so at its position, and in the end it is so`(seed: UInt64) {
        let device = Device(seed: seed)
        for _ in 0..<200 {
            device.step()
            device.check()
        }
        device.rest()
    }
}

/// A device with one program at a time, and the server of the room.
private final class Device {
    /// One for each history; the last is that of now.
    private var loops: [TestLoop] = []
    private(set) var program: TestClient!
    private(set) var mirrors: [Mirror] = []
    private let storage = MemoryMirrorStorage()
    /// Each of another history, by its epoch; each version has one line more than the one before.
    private var rooms: [String: Room<Shop>] = [:]
    private var room: Room<Shop>!
    private var random: SeededGenerator
    private var lines = 0
    private var starts = 0

    var loop: TestLoop { loops[loops.count - 1] }

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        beginHistory()
        start()
    }

    // MARK: What happens

    func step() {
        switch random.below(20) {
        case 0..<4: write()
        case 4..<6: connect()
        case 6..<9:
            program.speak()
            program.arrive()
            if random.below(2) == 0 { loop.endTurn() }
            program.read()
        case 9..<11: program.settle()
        case 11: program.cut()
        case 12..<14: program.session.saveCache()
        case 14..<16: end(gracefully: random.below(2) == 0)
        case 16, 17: select(random.below(3) == 0 ? "log" : "line", random.below(6))
        case 18: release()
        default:
            // Longer than the room keeps what nobody follows.
            loop.advance(by: 45)
            guard random.below(5) == 0 else { return }
            program.cut()
            beginHistory()
        }
    }

    func write() {
        lines += 1
        room.dispatch(Write(text: "\(lines)"), DispatchOutcome())
        loop.endTurn()
    }

    func connect() {
        if program.wire == nil { program.connect(to: room, on: loop) }
    }

    func select(_ selection: String, _ number: Int = 0) {
        let parameters: JSON? = selection == "line" ? .int(Int64(number)) : nil
        let mirror = program.session.mirror(selection, parameters)
        guard !mirrors.contains(where: { $0 === mirror }) else { return }
        mirror.observers[0] = { _ in }
        mirrors.append(mirror)
    }

    private func release() {
        guard !mirrors.isEmpty else { return }
        let mirror = mirrors.remove(at: random.below(mirrors.count))
        mirror.observers = [:]
        program.session.release(mirror)
    }

    /// The program ends, or is killed, and the next one begins.
    func end(gracefully: Bool) {
        #expect(program.troubles == [])
        if gracefully { program.session.close(ClientSession.closed) }
        program.cut()
        start()
    }

    private func start() {
        starts += 1
        let client = "program-\(starts)-0123456789"
        let cache = MirrorCache(
            MirrorCache.Home(room: "/", viewer: "", client: client), limits: CacheLimits(),
            in: storage)
        mirrors = []
        program = TestClient(
            ClientSession(outbox: SharedOutbox(client: client), cache: cache), on: loop)
    }

    private func beginHistory() {
        loops.append(TestLoop())
        room = loop.open(Shop.room, seed: UInt64(rooms.count + 1))
        rooms[room.position.epoch] = room
    }

    // MARK: What must hold

    func check() {
        for mirror in mirrors {
            guard let value = mirror.value else { continue }
            #expect(value == self.value(of: mirror, at: mirror.position))
        }
    }

    /// Everything is sent: now all is as the room has it.
    func rest() {
        for _ in 1...2 {
            connect()
            program.settle()
        }
        for mirror in mirrors {
            #expect(mirror.isLive)
            #expect(mirror.value == value(of: mirror, at: room.position))
        }
        #expect(program.troubles == [])
    }

    /// What the selection was at a position; nil if there is none.
    private func value(of mirror: Mirror, at position: Position?) -> JSON? {
        guard let position, let room = rooms[position.epoch] else { return nil }
        let log = room.store.state.log.prefix(Int(position.version))
        guard let number = mirror.parameters?.int else { return .array(log.map { .string($0) }) }
        return .string(log.indices.contains(number) ? log[number] : "")
    }
}
