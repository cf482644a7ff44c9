import StorecastSync

/// What the rooms and sessions of a loop have counted, for whoever watches the server. The numbers
/// only rise.
package final class LoopCounts {
    /// Actions that took effect, by type: the few that an app has are found sooner without a hash.
    @exclusivity(unchecked) private var taken: [(type: any SyncAction.Type, count: Int)] = []
    /// Dispatches that never will, by what they were called and why.
    private var rejected: [ActionOutcome: Int] = [:]
    /// Dispatches that are to come again, by the code of the reason.
    package private(set) var deferred: [String: Int] = [:]
    /// How often a limit was reached, by its name.
    package private(set) var limits: [String: Int] = [:]
    /// Entries that journals have taken, and batches that they haven't: for a while, or as another
    /// server had taken the room over.
    package internal(set) var appended = (entries: 0, failures: 0, replaced: 0)
    /// Rooms that were left to another server.
    package internal(set) var left = 0
    package internal(set) var snapshots = (written: 0, failed: 0)
    /// Messages that brought a connection over several changes of a value at once.
    @exclusivity(unchecked) package internal(set) var conflations = 0

    /// The dispatches that have their outcome, those of the server's own included.
    package var actions: [ActionOutcome: Int] {
        var all = rejected
        for (type, count) in taken {
            all[ActionOutcome(type: type.wireName, outcome: "taken"), default: 0] += count
        }
        return all
    }

    func took(_ actions: [any SyncAction]) {
        for place in actions.indices {
            let type = type(of: actions[place])
            if let known = taken.firstIndex(where: { $0.type == type }) {
                taken[known].count += 1
            } else {
                taken.append((type, 1))
            }
        }
    }

    /// - Parameter type: nil if the room has no such type: clients may make up as many as they
    ///   like.
    func rejected(_ type: String?, _ code: Rejection.Code) {
        rejected[ActionOutcome(type: type ?? "unknown", outcome: code.description), default: 0] += 1
    }

    func deferred(_ code: Rejection.Code) { deferred[code.description, default: 0] += 1 }

    /// - Parameter limit: its name in the table of limits.
    package func reached(_ limit: String) { limits[limit, default: 0] += 1 }
}

/// What became of dispatches of one type.
package struct ActionOutcome: Hashable, Sendable {
    package var type: String
    /// `taken`, or the code of the rejection.
    package var outcome: String
}
