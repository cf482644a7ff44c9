import Glibc
import StorecastServer
import StorecastWire

/// One selection, mirrored by many connections: what a delivered frame costs the server.
enum FanOut: Benchmark {
    static let name = "fanout"
    static let summary = "Fan-out of one selection, one action a turn, patches of about 200 bytes"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let connections = min(scale.pick(200, 1_000), DescriptorLimit.connections)
        let actions = scale.pick(100, 200)
        let server = try ServerFanOut(connections)
        let bytes = try server.deliver(actions / 4 + 1) / (connections * (actions / 4 + 1))
        let plain = try PlainFanOut(connections, frameBytes: bytes)
        _ = try plain.deliver(actions / 4 + 1)
        // In turns, so that what else the machine does touches both alike.
        var costs: [Double] = []
        var floors: [Double] = []
        for _ in 0..<scale.runs {
            costs.append(try cost(of: actions, connections, server.process, server.deliver))
            floors.append(try cost(of: actions, connections, plain.process, plain.deliver))
        }
        table.add("connections", Double(connections), "")
        table.add("bytes in a frame", Double(bytes), "")
        table.add("Storecast", Measurement(costs), "server CPU µs/frame")
        table.add("plain loop of send", Measurement(floors), "CPU µs/frame")
        table.add("Storecast", Measurement(costs.map { 1e6 / $0 }), "frames/server CPU s")
        table.add("plain loop of send", Measurement(floors.map { 1e6 / $0 }), "frames/CPU s")
        table.add(
            "Storecast : plain", Measurement(zip(costs, floors).map { $0 / $1 }), "times the CPU")
    }

    /// Microseconds of the process for each delivered frame.
    private static func cost(
        of actions: Int, _ connections: Int, _ process: ChildProcess,
        _ deliver: (Int) throws -> Int
    ) throws -> Double {
        let before = process.processorTime
        _ = try deliver(actions)
        return (process.processorTime - before) * 1e6 / Double(actions * connections)
    }
}

/// A server, its audience, and somebody who dispatches.
private final class ServerFanOut {
    let process: ChildProcess
    private let audience: Audience
    private let dispatcher: RawDispatcher

    init(_ connections: Int) throws {
        process = try ChildProcess(.server)
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

/// The same frames from a process that does nothing but send them.
private final class PlainFanOut {
    let process: ChildProcess
    private let trigger: Int32
    private let audience: Audience
    private let frame: [UInt8]

    init(_ connections: Int, frameBytes: Int) throws {
        process = try ChildProcess(.sender)
        trigger = try PlainSocket.connect(to: process.port)
        let port = process.port
        audience = Audience(
            try (0..<connections).map { _ in RawConnection(plain: try PlainSocket.connect(to: port))
            })
        let message = ServerMessage.lapse(
            sub: 1, code: String(repeating: "x", count: max(0, frameBytes - 40)))
        frame = Array(message.frame)
        // Until the last one is accepted: one more connects only then.
        usleep(100_000)
    }

    deinit { close(trigger) }

    func deliver(_ actions: Int) throws -> Int {
        try audience.receive(actions) { _ = send(trigger, frame, frame.count, 0) }
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
