import Glibc
import MeasureSupport
import StorecastServer
import StorecastWire

/// A connection that reads nothing while actions run, and then reads again.
enum StalledReader: Benchmark {
    static let name = "stalled"
    static let summary = "A mirror that reads nothing while actions run"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let actions = scale.pick(20_000, 100_000)
        let runs = scale.pick(1, 3)
        var idle: [Double] = []
        var stalled: [Double] = []
        var catchUps: [CatchUp] = []
        for _ in 0..<runs {
            idle.append(try measure(actions, stalls: false, nil))
            stalled.append(try measure(actions, stalls: true) { catchUps.append($0) })
        }
        table.add("actions", Double(actions), "")
        table.add("server's growth with an idle connection", Measurement(idle), "KiB")
        table.add("server's growth with a stalled mirror", Measurement(stalled), "KiB")
        table.add(
            "the stalled mirror's share", Measurement(zip(stalled, idle).map { $0 - $1 }), "KiB")
        table.add(
            "frames read that lay in the kernel", Measurement(catchUps.map { $0.old }), "")
        table.add("frames that brought it right", Measurement(catchUps.map { $0.new }), "")
        table.add("actions in the last frame", Measurement(catchUps.map { $0.span }), "")
    }

    /// What a mirror got when it read again.
    private struct CatchUp {
        /// Frames made before it stalled.
        var old: Double
        /// Frames made after it read again.
        var new: Double
        /// The actions that the last frame made up for.
        var span: Double
    }

    /// The growth of the server's memory in KiB.
    private static func measure(
        _ actions: Int, stalls: Bool, _ report: ((CatchUp) -> Void)?
    ) throws -> Double {
        let server = try ChildProcess(.server)
        let note = WriteNote(text: String(repeating: "A note of some length. ", count: 90))
        let dispatcher = try RawDispatcher(
            port: server.port, connections: 1, firstNumber: 1, type: WriteNote.wireName,
            payload: try JSONCoding.encode(note), inFlight: 16)
        // So that what the first actions need isn't counted.
        try dispatcher.dispatch(1_000)
        let before = server.residentBytes
        let mirror = try RawConnection(port: server.port, receiveBuffer: 4 << 10)
        try mirror.greet(2)
        let start = stalls ? try mirror.subscribe(Desk.panel.name) : 0
        try dispatcher.dispatch(actions)
        let growth = Double(server.residentBytes - before) / 1024
        if stalls { report?(try readAgain(mirror, from: start, upTo: UInt64(actions + 1_000))) }
        return growth
    }

    /// Reads to the newest version, and finds the one frame that jumps over what was missed.
    private static func readAgain(
        _ mirror: RawConnection, from start: UInt64, upTo version: UInt64
    ) throws -> CatchUp {
        var position = start
        var steps: [UInt64] = []
        while position < version {
            switch try mirror.nextFrame() {
            case .snapshot(_, let v, _):
                steps.append(v - position)
                position = v
            case .patch(_, let from, let v, _):
                guard from == position else {
                    throw Failure("A patch from \(from) came to a mirror at \(position).")
                }
                steps.append(v - position)
                position = v
            default: break
            }
        }
        // A turn brings at most what is in flight; a longer step was worked out later.
        let old = steps.prefix { $0 <= 16 }.count
        return CatchUp(
            old: Double(old), new: Double(steps.count - old), span: Double(steps.last ?? 0))
    }
}
