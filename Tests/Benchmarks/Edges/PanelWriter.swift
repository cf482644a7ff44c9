import Glibc
import MeasureSupport
import StorecastServer
import StorecastWire

/// A client that changes the panel, and waits for each change's ack.
final class PanelWriter {
    private let connection: RawConnection
    private let payload: [UInt8]
    private var sent: UInt64 = 0

    /// Each is a client of its own.
    private nonisolated(unsafe) static var number = 0

    init(at server: ChildProcess) throws {
        Self.number += 1
        connection = try RawConnection(port: server.port)
        try connection.greet(Self.number)
        payload = try JSONCoding.encode(
            WriteNote(text: String(repeating: "note ", count: 22)))
    }

    /// Returns the version that it led to.
    func change() throws -> Int {
        sent += 1
        try connection.send(
            RawConnection.frame {
                $0.writeDispatch(
                    seq: sent, base: 0, settled: sent - 1, type: WriteNote.wireName,
                    payload: payload)
            })
        while true {
            switch try connection.nextFrame() {
            case .transaction(let version, _, .some): return Int(version)
            case .reject(let reject): throw Failure("Rejected: \(reject.title)")
            case .bye(let bye): throw Failure("bye: \(bye.title)")
            default: break
            }
        }
    }

    /// What became of changes at a rate.
    struct Outcome {
        /// Frames that came to the crowds, and their bytes.
        var frames = 0
        var bytes = 0
        var seconds = 0.0
        /// From when each change was due until the last client had it, in milliseconds.
        var delays: [Double] = []
    }

    /// Makes changes, one after the other, each when it is due; returns when all clients have the
    /// last one.
    func write(_ count: Int, rate: Double, to crowds: [Crowd]) throws -> Outcome {
        for crowd in crowds { try crowd.forget() }
        let start = Moment.now
        let changes = try (1...count).map { number in
            let due = start + Int(Double(number) * 1e9 / rate)
            Moment.wait(until: due)
            return (due: due, version: try change())
        }
        try Self.wait(for: changes.last?.version ?? 0, at: crowds)
        var outcome = Outcome()
        outcome.seconds = Double(Moment.now - start) / 1e9
        outcome.frames = crowds.reduce(0) { $0 + $1.frames }
        outcome.bytes = crowds.reduce(0) { $0 + $1.bytes }
        outcome.delays = changes.map { change in
            let last = crowds.compactMap { $0.time(of: change.version) }.max() ?? 0
            return Double(last - change.due) / 1e6
        }
        return outcome
    }

    /// Waits until all of the crowds have a version, as far as they are still connected.
    static func wait(for version: Int, at crowds: [Crowd]) throws {
        let end = Moment.now + 120_000_000_000
        while true {
            let late = crowds.filter { $0.version < version && $0.lost < $0.count }
            if late.isEmpty { return }
            for crowd in late { try crowd.look() }
            guard Moment.now < end else { throw Failure("A change didn't come to everybody.") }
            Moment.wait(until: Moment.now + 5_000_000)
        }
    }
}

/// Nanoseconds of the monotonic clock, which is that of all processes.
enum Moment {
    static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    static func wait(until moment: Int) {
        let left = moment - now
        if left > 0 { usleep(UInt32(left / 1000)) }
    }
}
