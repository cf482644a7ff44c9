import Glibc
import MeasureSupport
import StorecastServer
import StorecastWire

/// One selection, mirrored by many connections: what a delivered frame costs the server.
enum FanOut: Benchmark {
    static let name = "fanout"
    static let summary = "Fan-out of one selection, one action a turn, patches of about 200 bytes"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        for count in scale.pick([200], [100, 1_000, 5_000]) {
            let connections = min(count, DescriptorLimit.connections)
            // As many frames, however many connections they go to.
            let actions = scale.pick(20_000, 100_000) / connections
            let server = try ServerFanOut(connections)
            let bytes = try server.deliver(10) / (connections * 10)
            let plain = try SentFanOut(connections, try ChildProcess(.sender), frameBytes: bytes)
            var rivals = Rivals()
            rivals.add("Storecast", server.process) { _ = try server.deliver(actions) }
            rivals.add("a loop of send", plain.process) { try plain.deliver(actions) }
            if let peer = try Peer.broadcast.start() {
                let bare = try SentFanOut(connections, peer, frameBytes: bytes, isWebSocket: true)
                rivals.add(Peer.label, peer) { try bare.deliver(actions) }
            }
            try rivals.measure(runs: scale.runs, count: actions * connections)
            let what = "\(Figure.text(Double(connections))) connections, \(bytes) bytes"
            rivals.report(what, "frame", to: Peer.label, &table)
        }
    }
}

/// The same of a server with two loops, beside one with one loop.
enum LoopFanOut: Benchmark {
    static let name = "loops"
    static let summary = "Fan-out where half of the connections are on another loop than their room"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let connections = min(scale.pick(200, 1_000), DescriptorLimit.connections)
        let actions = scale.pick(20_000, 100_000) / connections
        let (one, two) = try (ServerFanOut(connections), ServerFanOut(connections, .twoLoops))
        var rivals = Rivals()
        rivals.add("one loop", one.process) { _ = try one.deliver(actions) }
        rivals.add("two loops", two.process) { _ = try two.deliver(actions) }
        try rivals.measure(runs: scale.runs, count: actions * connections)
        rivals.report("\(connections) connections", "frame", to: "one loop", &table)
        table.note(
            "The kernel gives each loop about half of the connections. If the two cost r times what "
                + "one does, a frame to another loop costs 2r - 1 times one to the room's own.")
    }
}

/// A server, its audience, and somebody who dispatches.
private final class ServerFanOut {
    let process: ChildProcess
    private let audience: Audience
    private let dispatcher: RawDispatcher

    init(_ connections: Int, _ role: ChildRole = .server) throws {
        process = try ChildProcess(role)
        var receivers: [RawConnection] = []
        for number in 0..<connections {
            let receiver = try RawConnection(port: process.port)
            try receiver.greet(number + 1)
            try receiver.subscribe(Desk.panel.name)
            receivers.append(receiver)
        }
        audience = Audience(receivers)
        let note = WriteNote(text: String(repeating: "note ", count: 22))
        dispatcher = try RawDispatcher(
            port: process.port, connections: 1, firstNumber: connections + 1,
            type: WriteNote.wireName, payload: try JSONCoding.encode(note), inFlight: 1)
    }

    /// Returns the bytes that were delivered.
    func deliver(_ actions: Int) throws -> Int {
        try audience.showLife()
        return try audience.receive(actions) { try dispatcher.dispatch(1) }
    }
}

/// The same frames from a process that sends each of its clients what one of them says.
private final class SentFanOut {
    let process: ChildProcess
    private let trigger: RawConnection
    private let audience: Audience
    private let message: [UInt8]

    /// - Parameters:
    ///   - frameBytes: the bytes of a frame, with its header.
    ///   - isWebSocket: whether the process adds the header, else it sends on what it is sent.
    init(
        _ connections: Int, _ process: ChildProcess, frameBytes: Int, isWebSocket: Bool = false
    ) throws {
        self.process = process
        func connect() throws -> RawConnection {
            if isWebSocket { return try RawConnection(port: process.port) }
            return RawConnection(plain: try PlainSocket.connect(to: process.port))
        }
        trigger = try connect()
        audience = Audience(try (0..<connections).map { _ in try connect() })
        // A server's header has two bytes, and two more for the length of what isn't very short.
        let text = String(repeating: "x", count: frameBytes - 4)
        message =
            isWebSocket
            ? RawConnection.frame { $0.write(raw: Array(text.utf8)) }
            : [0x81, 126, UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 255)]
                + Array(text.utf8)
    }

    func deliver(_ actions: Int) throws {
        _ = try audience.receive(actions) { try trigger.send(message) }
    }
}

/// Receivers that count frames.
private final class Audience {
    private let receivers: [RawConnection]
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    private var expected = 0

    init(_ receivers: [RawConnection]) {
        self.receivers = receivers
    }

    deinit { scratch.deallocate() }

    func showLife() throws {
        for receiver in receivers { try receiver.showLife() }
    }

    /// Has something sent `times` times, and each time waits until everyone has one frame more.
    ///
    /// It waits for the last receiver first, the one that is written to last: so the sender wakes
    /// this process once for all frames, not once for each. Returns the bytes that came.
    func receive(_ times: Int, _ send: () throws -> Void) throws -> Int {
        let before = receivers.reduce(0) { $0 + $1.counter.bytes }
        for _ in 0..<times {
            expected += 1
            try send()
            for receiver in receivers.reversed() {
                while receiver.counter.frames < expected { try receiver.count(using: scratch) }
            }
        }
        return receivers.reduce(0) { $0 + $1.counter.bytes } - before
    }
}
