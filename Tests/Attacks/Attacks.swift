import Foundation
import Glibc
import MeasureSupport
import StorecastBench

/// `Attacks [NAME…] [--quick] [--command PATH]`, `Attacks --list`: attacks release builds of
/// `storecast serve`, and prints what each attack has cost. Exits with 1, and sentences, if a bound
/// doesn't hold. The command is beside this program, or at the path given.
///
/// `Attacks crowd [NAME…]` has each attack come upon a thousand honest clients.
@main
struct Attacks {
    static let all: [Attack] =
        documentAttacks + boardAttacks + readerAttacks + messageAttacks + connectionAttacks
        + journalAttacks

    /// The command whose server is attacked.
    nonisolated(unsafe) private(set) static var command = URL(filePath: "/proc/self/exe")
        .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "storecast").path

    static func main() async {
        do {
            exit(try await run() ? 0 : 1)
        } catch {
            print(error)
            exit(2)
        }
    }

    /// Whether all bounds hold.
    private static func run() async throws -> Bool {
        var words = Array(CommandLine.arguments.dropFirst())
        if let place = words.firstIndex(of: "--command"), place + 1 < words.count {
            command = words[place + 1]
            words.removeSubrange(place...place + 1)
        }
        let options = Set(words.filter { $0.hasPrefix("-") })
        words.removeAll { $0.hasPrefix("-") }
        if options == ["--list"] {
            for attack in all { print(attack.title) }
            return true
        }
        guard options.isSubset(of: ["--quick"]) else {
            throw Failure("Attacks [crowd] [NAME…] [--quick] [--command PATH], or Attacks --list")
        }
        let scale: Scale = options.isEmpty ? .full : .quick
        let isCrowd = words.first == "crowd"
        if isCrowd { words.removeFirst() }
        for word in words where !all.contains(where: { $0.name == word }) {
            throw Failure("There is no attack '\(word)'; --list shows them.")
        }
        let chosen = all.filter { words.isEmpty || words.contains($0.name) }
        DescriptorLimit.raise()
        Machine.describe()
        return isCrowd ? try await Crowd.run(chosen, scale) : try run(chosen, scale)
    }

    private static func run(_ attacks: [Attack], _ scale: Scale) throws -> Bool {
        var failures: [String] = []
        print(Outcome.head)
        for attack in attacks {
            let (outcome, breaches) = try judge(attack, scale)
            print(outcome.row(of: attack))
            fflush(nil)
            failures += breaches.map { "\(attack.name): \($0.sentence)" }
        }
        print("")
        for failure in failures { print(failure) }
        print(failures.isEmpty ? "All bounds hold." : "\(failures.count) bounds don't hold.")
        return failures.isEmpty
    }
}

extension Attacks {
    /// Runs an attack. What may be chance, on a busy machine, is run twice more: a bound holds if it
    /// does in two of three runs.
    private static func judge(
        _ attack: Attack, _ scale: Scale
    ) throws -> (Outcome, [Breach]) {
        let first = try Outcome.of(attack, scale)
        let breaches = first.breaches(of: attack, scale)
        guard !breaches.isEmpty, breaches.allSatisfy({ $0.excess < 2 }) else {
            return (first, breaches)
        }
        for _ in 0..<2 {
            let again = try Outcome.of(attack, scale)
            guard again.breaches(of: attack, scale).isEmpty else { return (first, breaches) }
        }
        return (first, [])
    }
}

extension Attack {
    /// For the list.
    var title: String {
        var bounds = [
            "p99 \(Figure.text(bound.p99)) ms", "memory \(Figure.text(bound.memory)) MiB",
        ]
        if let hold { bounds.append("after \(hold) s \(Figure.text(bound.held)) MiB") }
        if let journal = bound.journal { bounds.append("journal \(Figure.text(journal)) MiB") }
        return "\(name): \(summary) (\(bounds.joined(separator: ", ")))"
    }
}

extension Outcome {
    static let head = """
        | attack | quiet p99 / max, ms | p99 / max, ms | MiB before → peak → held → after \
        | CPU s of s | journal, MiB | log, KiB | attackers ended |
        |---|--:|--:|--:|--:|--:|--:|---|
        """

    /// A row of the table.
    func row(of attack: Attack) -> String {
        func milliseconds(_ sight: Innocent.Sight) -> String {
            let answers = sight.answers
            let figures = [answers.quantile(0.99), answers.largest].map { Double($0) / 1e6 }
            return figures.map { Figure.text($0) }.joined(separator: " / ")
        }
        let memory = [memory.before, memory.peak, memory.held, memory.after]
        let cells = [
            attack.name, milliseconds(quiet), milliseconds(siege),
            memory.map { Figure.text($0) }.joined(separator: " → "),
            "\(Figure.text(processor)) of \(Figure.text(seconds))", Figure.text(journal),
            Figure.text(log * 1024), endings,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
