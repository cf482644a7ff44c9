import Foundation
import MeasureSupport
import StorecastBench
import StorecastWebSocket
import StorecastWire

/// A thousand honest clients who act 2,000 times a second between them, and ten attackers.
///
/// On one server, quiet steps and attacks take turns with attacks on another server beside it, by as
/// many attackers: what these do to the honest is the machine's, whose processors all of them share.
/// What is judged is the median of the factors by which an attack makes the 99th percentile from
/// dispatch to ack longer than in the step before it, the quiet one or that beside, whichever is
/// longer.
enum Crowd {
    private static let clients = 1_000
    private static let rate = 2_000.0
    private static let attackers = 10
    /// The factor that must hold.
    private static let bound = 2.0

    /// Prints a table; whether the bound holds for all attacks.
    static func run(_ attacks: [Attack], _ scale: Scale) async throws -> Bool {
        var failures: [String] = []
        print(
            """
            | attack | quiet p50 / p99, ms | beside | attacked | times quiet | factor, median (all) \
            | lost | attackers ended |
            |---|--:|--:|--:|--:|--:|--:|---|
            """)
        for attack in attacks {
            let result = try await measure(attack, pairs: scale == .quick ? 1 : 3, scale)
            print(result.row)
            fflush(nil)
            if result.factor > bound || result.lost > 0 {
                failures.append(
                    "\(attack.name): the honest clients' p99 was \(Figure.text(result.factor)) times "
                        + "as long, and \(result.lost) of them were ended; the bound is "
                        + "\(Figure.text(bound)) times, and none.")
            }
        }
        print("")
        for failure in failures { print(failure) }
        return failures.isEmpty
    }

    private struct Result {
        var name: String
        var quiet: [StepResult] = []
        /// While another server was attacked.
        var beside: [StepResult] = []
        var attacked: [StepResult] = []
        var ends: [String: Int] = [:]

        private var factors: [Double] {
            attacked.indices.map { index in
                Self.p99(attacked[index])
                    / max(Self.p99(quiet[index]), Self.p99(beside[index]))
            }
        }

        /// Beside the quiet step alone.
        private var ratio: Double {
            Measurement(zip(quiet, attacked).map { Self.p99($1) / Self.p99($0) }).median
        }

        var factor: Double { Measurement(factors).median }
        var lost: Int { (quiet + beside + attacked).reduce(0) { $0 + $1.tally.lost } }

        var row: String {
            func text(_ steps: [StepResult]) -> String {
                let p50 = steps.map { Double($0.tally.acks.quantile(0.5)) / 1e6 }
                let p99 = steps.map { Self.p99($0) }
                return [p50, p99].map { Figure.text(Measurement($0).median) }
                    .joined(separator: " / ")
            }
            let outcome = Outcome(ends: ends)
            let all = factors.map { Figure.text($0) }.joined(separator: ", ")
            let cells = [
                name, text(quiet), text(beside), text(attacked), Figure.text(ratio),
                "\(Figure.text(factor)) (\(all))", "\(lost)", outcome.endings,
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }

        private static func p99(_ step: StepResult) -> Double {
            Double(step.tally.acks.quantile(0.99)) / 1e6
        }
    }

    private static func measure(
        _ attack: Attack, pairs: Int, _ scale: Scale
    ) async throws -> Result {
        let server = try Server(attack.room, cards: attack.cards)
        let other = try Server(attack.room, cards: attack.cards)
        let bench = try await Bench(plan(attack, port: server.port))
        var result = Result(name: attack.name)
        let seconds = scale == .quick ? attack.seconds.quick : attack.seconds.full
        for _ in 0..<pairs {
            guard let quiet = await bench.run(step(seconds: 5)) else { break }
            result.quiet.append(quiet)
            for target in [other, server] {
                let siege = Siege(
                    attack, attackers: attackers, port: target.port,
                    until: .now + .seconds(seconds + 1))
                guard let measured = await bench.run(Self.step(seconds: seconds)) else { break }
                let ends = siege.end()
                if target === server {
                    result.attacked.append(measured)
                    result.ends.merge(ends, uniquingKeysWith: +)
                } else {
                    result.beside.append(measured)
                }
                // Until what it left behind is done with.
                _ = await bench.run(Self.step(seconds: 5))
            }
            if server.process.hasEnded {
                throw Failure("The server has ended: \(server.lastWords)")
            }
        }
        await bench.close()
        return result
    }

    private static func step(seconds: Int) -> LoadStep {
        LoadStep(rate: rate, warmUp: .seconds(1), duration: .seconds(seconds))
    }

    private static func plan(_ attack: Attack, port: Int) -> LoadPlan {
        let server = WebSocketClientConfiguration(
            host: "127.0.0.1", port: port, subprotocols: ["storecast.v1"])
        var plan: LoadPlan
        if case .document = attack.room {
            // What is there under any document that is an object, and nobody attacks.
            plan = LoadPlan(server: server, action: "increment")
            plan.payload = NumberedText(#"{"path":"/honest-{c}"}"#)
            plan.subscriptions = [.init(name: "value", parameters: ["path": "/notice"])]
        } else {
            plan = LoadPlan(server: server, action: "Say")
            plan.payload = NumberedText(#"{"text":"Message {n}"}"#)
            plan.subscriptions = [.init(name: "columns")]
        }
        plan.connections = clients
        plan.patience = .seconds(60)
        return plan
    }
}
