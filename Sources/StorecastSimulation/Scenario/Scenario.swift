import StorecastMirror
import StorecastRoom

/// Everything that a simulation is to do, drawn from its seed beforehand.
///
/// Each step has a seed of its own, so that removing steps leaves the others as they were.
struct Scenario: Sendable {
    struct Step: Sendable {
        let time: Duration
        let seed: UInt64
        let operation: Operation
    }

    let seed: UInt64
    var clients: Int
    /// In the order of their times.
    var steps: [Step]
    var limits: SyncLimits
    /// How many dispatches without an outcome a client keeps.
    var outbox: OutboxLimits
    /// Every how many clients one stores its outbox; 0 for none.
    var storedOutboxes: Int
    /// The worst conditions of a connection.
    var conditions: NetworkConditions
    /// The longest that each half of an append takes.
    var journalDelay: Duration
    /// Whether writing and reading snapshots sometimes fails.
    var losesSnapshots: Bool
    /// The longest delay before the end of a turn of the server.
    var turn: Duration
    /// The longest time that authentication takes.
    var checking: Duration
    /// How many loops the server has: the room's, and others that only have connections.
    var loops = 1
    /// The longest delay of a message between loops.
    var relayDelay = Duration.zero
    /// Whether clients take values in parts, which are tiny then; not all of them do.
    var hasParts = false
    /// How many servers share the room; 0 for one that has it for itself.
    var servers = 0
    /// Whether clients are connected to a mirror of the room, wherever that is.
    var hasFronts = false
    /// How long an identity holds after its token was checked; zero for ever.
    var tokenLife = Duration.zero
}

extension Scenario {
    /// The shortest scenario found, made by leaving things out, for which `fails` is still true.
    func shrunk(_ fails: (Scenario) -> Bool) -> Scenario {
        var shortest = self
        var budget = 400
        func attempt(_ shorter: Scenario) -> Bool {
            guard budget > 0 else { return false }
            budget -= 1
            guard fails(shorter) else { return false }
            shortest = shorter
            return true
        }
        for client in 0..<min(clients, 100) {
            var shorter = shortest
            shorter.steps.removeAll { $0.operation.client == client }
            if shorter.steps.count < shortest.steps.count { _ = attempt(shorter) }
        }
        for simplify in Self.simplifications {
            var simpler = shortest
            simplify(&simpler)
            _ = attempt(simpler)
        }
        var size = max(1, shortest.steps.count / 2)
        while size >= 1, budget > 0 {
            var start = 0
            while start < shortest.steps.count {
                var shorter = shortest
                shorter.steps.removeSubrange(start..<min(start + size, shorter.steps.count))
                if !attempt(shorter) { start += size }
            }
            size /= 2
        }
        return shortest
    }

    private static let simplifications: [@Sendable (inout Scenario) -> Void] = [
        { $0.conditions = .perfect },
        { $0.journalDelay = .zero },
        { $0.turn = .zero },
        { $0.checking = .zero },
        { $0.relayDelay = .zero },
        { $0.loops = 1 },
        { $0.hasParts = false },
        { $0.hasFronts = false },
        { $0.servers = min($0.servers, 2) },
        { $0.tokenLife = .zero },
        { scenario in
            let usual = SyncLimits()
            scenario.limits.turnWork = usual.turnWork
            scenario.limits.turnWorkPerConnection = usual.turnWorkPerConnection
            scenario.limits.turnActions = usual.turnActions
            scenario.limits.writeBytes = usual.writeBytes
            scenario.limits.transactionBytes = usual.transactionBytes
        },
    ]
}

/// What the seed doesn't decide of a simulation.
public struct SimulationOptions: Sendable {
    /// How many operations are done before everything comes to rest; nil for what the seed says.
    public var steps: Int?
    /// How many clients there are; nil for what the seed says: a few in most seeds, sometimes
    /// hundreds.
    public var clients: Int?

    /// Leaves everything to the seed.
    public init(steps: Int? = nil, clients: Int? = nil) {
        self.steps = steps
        self.clients = clients
    }
}
