import Foundation
import MeasureSupport
import StorecastBench

/// What an attack has cost.
struct Outcome {
    var quiet = Innocent.Sight()
    var siege = Innocent.Sight()
    /// The server's memory in MiB: before, at most, at the end of the attack, and after it.
    var memory = (before: 0.0, peak: 0.0, held: 0.0, after: 0.0)
    /// The server's processor time in seconds, and the time of the attack.
    var processor = 0.0
    var seconds = 0.0
    /// By how much the files have grown, in MiB.
    var journal = 0.0
    var log = 0.0
    /// How often each reason has ended an attacker.
    var ends: [String: Int] = [:]
    /// Whether the server has come to its end, with its last words.
    var crash: String?

    /// Runs one attack on a server of its own.
    static func of(_ attack: Attack, _ scale: Scale) throws -> Outcome {
        let server = try Server(attack.room, cards: attack.cards)
        let innocent = try Innocent(port: server.port)
        defer { innocent.close() }
        var outcome = Outcome()
        innocent.begin()
        Thread.sleep(forTimeInterval: scale == .quick ? 1 : 3)
        outcome.quiet = innocent.end(patience: .seconds(10))

        let process = server.process
        try process.forgetPeak()
        let (memory, processor) = (process.residentBytes, process.processorTime)
        let (journal, log) = (server.journalBytes, server.logBytes)
        let start = ContinuousClock.now
        let seconds = scale.seconds(of: attack)
        innocent.begin()
        let siege = Siege(
            attack, attackers: attack.attackers, port: server.port,
            until: start + .seconds(seconds))
        Thread.sleep(forTimeInterval: Double(seconds) - 0.2)
        outcome.memory.held = mebibytes(process.residentBytes)
        outcome.ends = siege.end()
        // What it left behind is a part of it.
        outcome.siege = innocent.end(patience: scale.patience)
        outcome.seconds = start.duration(to: .now) / .seconds(1)
        outcome.processor = process.processorTime - processor
        outcome.memory.before = mebibytes(memory)
        outcome.memory.peak = mebibytes(process.peakResidentBytes)
        if process.hasEnded { outcome.crash = server.lastWords }
        Thread.sleep(forTimeInterval: 0.5)
        outcome.memory.after = mebibytes(process.residentBytes)
        outcome.journal = mebibytes(server.journalBytes - journal)
        outcome.log = mebibytes(server.logBytes - log)
        return outcome
    }

    private static func mebibytes(_ bytes: Int) -> Double { Double(bytes) / Double(1 << 20) }
}

/// How long an attack goes on.
enum Scale {
    /// Enough to see whether the bounds hold.
    case quick
    /// Enough for figures, and to see that what is held is let go.
    case full

    func seconds(of attack: Attack) -> Int {
        switch self {
        case .quick: attack.seconds.quick
        case .full: max(attack.seconds.full, attack.hold ?? 0)
        }
    }

    /// How long the innocent wait for answers when the attack is over.
    var patience: Duration { self == .quick ? .seconds(60) : .seconds(150) }
}

/// A bound that didn't hold.
struct Breach {
    var sentence: String
    /// How many times the bound it was.
    var excess = Double.infinity
}

extension Outcome {
    private var p99: Double { Self.milliseconds(siege.answers.quantile(0.99)) }
    private var quietP99: Double { Self.milliseconds(quiet.answers.quantile(0.99)) }

    private static func milliseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e6 }

    /// What doesn't hold.
    func breaches(of attack: Attack, _ scale: Scale) -> [Breach] {
        if let crash { return [Breach(sentence: "The server has ended: \(crash)")] }
        var breaches: [Breach] = []
        if let problem = siege.problem {
            breaches.append(Breach(sentence: "An innocent client was ended: \(problem)"))
        }
        func check(_ what: String, _ value: Double, _ bound: Double, _ unit: String) {
            guard value > bound else { return }
            let figures = "\(Figure.text(value)) \(unit); the bound is \(Figure.text(bound))."
            breaches.append(Breach(sentence: "\(what) \(figures)", excess: value / bound))
        }
        let bound = attack.bound
        check("The innocent's p99 was", p99, max(bound.p99, 2 * quietP99), "ms")
        let quietLongest = Self.milliseconds(quiet.answers.largest)
        check(
            "The innocent's longest wait was", Self.milliseconds(siege.answers.largest),
            max(bound.longest, 2 * quietLongest), "ms")
        check("Memory grew by", memory.peak - memory.before, bound.memory, "MiB")
        if attack.hold != nil, scale == .full {
            check("At the end it still held", memory.held - memory.before, bound.held, "MiB")
        }
        if let limit = bound.journal { check("The journal grew by", journal, limit, "MiB") }
        check("It logged", log, bound.log, "MiB")
        return breaches
    }

    /// The attackers' ends, the most frequent first.
    var endings: String {
        let all = ends.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return all.prefix(2).map { "\($0.value) × \($0.key)" }.joined(separator: "; ")
    }
}
