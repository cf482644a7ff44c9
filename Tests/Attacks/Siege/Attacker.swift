import Foundation
import Glibc
import MeasureSupport
import StorecastWire
import Synchronization

/// Somebody with a grudge, on a thread and from an address of their own: sends whatever bytes they
/// like, and reads only if they like.
final class Attacker {
    /// From 0.
    let number: Int
    /// How many attackers there are.
    let count: Int
    let port: Int
    /// When the attack is over: everything that waits gives up.
    let deadline: ContinuousClock.Instant
    /// The same numbers in every run.
    var random: Random
    /// Connections that are kept while it goes on.
    var kept: [RawConnection] = []
    private var clients = 0
    private var seqs: [ObjectIdentifier: Int] = [:]

    init(_ number: Int, of count: Int, port: Int, until deadline: ContinuousClock.Instant) {
        self.number = number
        self.count = count
        self.port = port
        self.deadline = deadline
        random = Random(state: UInt64(number + 1))
    }

    var isOver: Bool { .now >= deadline }

    /// Its share of so many connections: this machine doesn't have more for all together.
    func share(of connections: Int) -> Int { connections / count }

    /// 127.0.1.1 and on: the innocent are at 127.0.0.1.
    private var source: UInt16 { UInt16(257 + number) }

    /// A connection without a handshake.
    ///
    /// - Parameter receiveBuffer: the size of the kernel's buffer, in bytes; as small as it can be
    ///   for one that never reads.
    func plain(receiveBuffer: Int32? = nil) throws -> RawConnection {
        RawConnection(
            plain: try PlainSocket.connect(
                to: port, from: source, receiveBuffer: receiveBuffer, patience: deadline - .now),
            deadline: deadline)
    }

    /// A connection that has been upgraded.
    func connect(_ path: String = "/", receiveBuffer: Int32? = nil) throws -> RawConnection {
        let connection = try plain(receiveBuffer: receiveBuffer)
        try connection.upgrade(path: path)
        return connection
    }

    /// A connection that was welcomed, under a client id of its own.
    func welcomed(token: String? = nil, receiveBuffer: Int32? = nil) throws -> RawConnection {
        let connection = try connect(receiveBuffer: receiveBuffer)
        try connection.greet(newClient(), token: token)
        return connection
    }

    /// A client id that nobody else has.
    func newClient() -> Int {
        clients += 1
        return (number + 1) << 32 | clients
    }

    /// Keeps what it has, shows each second that somebody is there, and reads nothing; throws when
    /// none is left.
    func hold() throws {
        let pong = RawConnection.frame([], opcode: 10)
        while !isOver {
            kept.removeAll { connection in
                do {
                    try connection.send(pong)
                    return false
                } catch {
                    return true
                }
            }
            guard !kept.isEmpty else { throw Failure("The server has ended all of them.") }
            pause(.seconds(1))
        }
    }

    /// Waits, as somebody does who has time.
    func pause(_ duration: Duration) {
        let left = min(duration, deadline - .now) / .seconds(1)
        if left > 0 { Thread.sleep(forTimeInterval: left) }
    }
}

/// Numbers that look like chance, the same for the same state (SplitMix64).
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// Several attackers at their work.
final class Siege: Sendable {
    private struct State {
        var working = 0
        var ends: [String: Int] = [:]
    }

    private let state: Mutex<State>
    private let isDone = DispatchSemaphore(value: 0)

    /// Begins: the attackers come until `deadline`.
    init(_ attack: Attack, attackers: Int, port: Int, until deadline: ContinuousClock.Instant) {
        state = Mutex(State(working: attackers))
        for number in 0..<attackers {
            Thread.detachNewThread { [self] in
                // On a machine of its own it wouldn't take the processor from others.
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
                let attacker = Attacker(number, of: attackers, port: port, until: deadline)
                while !attacker.isOver { repel(attack, attacker) }
                attacker.kept = []
                let left = state.withLock { state in
                    state.working -= 1
                    return state.working
                }
                if left == 0 { isDone.signal() }
            }
        }
    }

    /// Waits for the last of them; returns how often each reason has ended one.
    func end() -> [String: Int] {
        isDone.wait()
        return state.withLock(\.ends)
    }

    private func repel(_ attack: Attack, _ attacker: Attacker) {
        do {
            try attack.run(attacker)
        } catch {
            attacker.kept = []
            guard !attacker.isOver else { return }
            state.withLock { $0.ends["\(error)", default: 0] += 1 }
            attacker.pause(.milliseconds(10))
        }
    }
}
