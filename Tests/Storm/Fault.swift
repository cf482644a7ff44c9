import ArgumentParser

/// What is done to the cluster.
enum Fault: String, CaseIterable, ExpressibleByArgument {
    case kill, stall, deploy, upgrade
    case rollBack = "roll-back"
    case move, drain
    case killNATS = "kill-nats"
    case stallNATS = "stall-nats"
    case killTwoNATS = "kill-two-nats"
    case killAllNATS = "kill-all-nats"
    case lose, unplug, deafen
    case cutNATS = "cut-nats"
    case cutServers = "cut-servers"
    case drop, narrow

    /// For people.
    var title: String {
        switch self {
        case .kill: "a storecast is killed, and started again"
        case .stall: "a storecast stands still for a while (SIGSTOP)"
        case .deploy: "all storecasts are stopped and started, one after the other"
        case .upgrade:
            "all storecasts are replaced, one after the other, by ones with the next schema"
        case .rollBack:
            "one storecast is replaced by one with the next schema, which gets all rooms, and then "
                + "by one with the old schema; until all have the next one, nobody opens the rooms"
        case .move: "every room is moved to some server"
        case .drain: "a storecast is drained, stopped and started"
        case .killNATS: "a NATS server is killed, and started again"
        case .stallNATS: "a NATS server stands still for a while"
        case .killTwoNATS: "two NATS servers are killed, and started again"
        case .killAllNATS: "all NATS servers are killed, and started again"
        case .lose: "a machine is gone with all that runs on it, and starts again"
        case .unplug: "a machine is cut off from all others for a while"
        case .deafen: "a machine can send and receives nothing for a while"
        case .cutNATS: "a storecast is cut off from all NATS servers for a while"
        case .cutServers: "two storecasts can't reach one another for a while"
        case .drop: "a machine's network loses every fifth packet for a while"
        case .narrow: "a machine has 1 Mbit/s for a while"
        }
    }
}

/// One fault: to whom it happens, and how.
struct Strike {
    /// What happens while it lasts.
    enum Course {
        /// Every room is written again before it ends.
        case roomsGoOn
        /// Nothing is acked, as nobody can do what that takes.
        case nothingIsAcked(String)
        /// It is over at once.
        case isOver
    }

    /// Whom it hits, for people.
    var target: String
    /// The places of the rooms that it is about.
    var rooms: [Int]
    var course = Course.roomsGoOn
    var begin: @MainActor () async throws -> Void
    var end: @MainActor () async throws -> Void = {}
}
