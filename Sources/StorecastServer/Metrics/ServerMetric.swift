/// What a server measures of itself; Docs/Reference.md explains each.
///
/// Counters have the ending `_total` in OpenMetrics.
package enum ServerMetric: String, CaseIterable, Sendable {
    package enum Kind: Sendable { case counter, gauge, histogram }

    case info = "storecast_info"
    case ready = "storecast_ready"
    case connections = "storecast_connections"
    case ended = "storecast_connections_ended"
    case behind = "storecast_connections_behind"
    case rooms = "storecast_rooms"
    case groups = "storecast_groups"
    case actions = "storecast_actions"
    case deferred = "storecast_actions_deferred"
    case messagesIn = "storecast_messages_received"
    case messagesOut = "storecast_messages_sent"
    case bytesIn = "storecast_received_bytes"
    case bytesOut = "storecast_sent_bytes"
    case conflations = "storecast_conflations"
    case waiting = "storecast_waiting_bytes"
    case limits = "storecast_limits_reached"
    case turn = "storecast_turn_seconds"
    case append = "storecast_journal_append_seconds"
    case entries = "storecast_journal_entries"
    case appendFailures = "storecast_journal_failures"
    case freeBytes = "storecast_journal_free_bytes"
    case replaced = "storecast_journal_replaced"
    case left = "storecast_rooms_left"
    case takeover = "storecast_takeover_seconds"
    case snapshots = "storecast_snapshots"
    case snapshotAge = "storecast_snapshot_age_seconds"
    case upstreamRooms = "storecast_upstream_rooms"
    case upstreamSilence = "storecast_upstream_silence_seconds"
    case roundTrip = "storecast_upstream_round_trip_seconds"
    case natsConnected = "storecast_nats_connected"
    case natsReconnects = "storecast_nats_reconnects"
    case clusterServers = "storecast_cluster_servers"
    case pulseAge = "storecast_cluster_pulse_age_seconds"
    case memory = "storecast_memory_bytes"
    case descriptors = "storecast_open_descriptors"
    case mostDescriptors = "storecast_open_descriptors_limit"

    package var kind: Kind {
        switch self {
        case .ended, .actions, .deferred, .messagesIn, .messagesOut, .bytesIn, .bytesOut,
            .conflations, .limits, .entries, .appendFailures, .replaced, .left, .snapshots,
            .natsReconnects:
            .counter
        case .turn, .append, .takeover, .roundTrip: .histogram
        default: .gauge
        }
    }

    package var labels: [String] {
        switch self {
        case .info: ["version"]
        case .ended, .deferred: ["code"]
        case .rooms: ["phase"]
        case .actions: ["type", "outcome"]
        case .waiting: ["for"]
        case .limits: ["limit"]
        case .snapshots: ["outcome"]
        case .upstreamRooms: ["state"]
        default: []
        }
    }

    package var help: String {
        switch self {
        case .info: "1, with the server's version."
        case .ready: "1 if the server is ready for clients, otherwise 0."
        case .connections: "Open connections of clients."
        case .ended: "Connections that have ended, by their close code."
        case .behind: "Connections whose sockets take no more data now."
        case .rooms: "Open rooms, by how far they have come with their history."
        case .groups: "Selections in memory, with their parameters."
        case .actions: "Dispatches that have their outcome, by type and outcome."
        case .deferred: "Dispatches that clients were asked to send again, by the rejection's code."
        case .messagesIn: "Messages that came from clients."
        case .messagesOut: "Messages that were sent to clients."
        case .bytesIn: "Bytes of messages that came from clients."
        case .bytesOut: "Bytes of messages that were sent to clients, with their frames."
        case .conflations: "Messages that brought a client over several changes at once."
        case .waiting:
            "Bytes that wait: actions for the journal, messages to be read, and what is sent."
        case .limits: "How often a limit was reached."
        case .turn: "How long a turn of a loop took that had something to do."
        case .append: "How long the journal took to keep a batch."
        case .entries: "Entries that journals have kept."
        case .appendFailures: "Batches that journals didn't keep."
        case .freeBytes: "What the journal's disk has left."
        case .replaced: "Batches that journals refused, as another server had taken the room over."
        case .left: "Rooms that were left to another server."
        case .takeover:
            "How long it took to take over a room that another process had written."
        case .snapshots: "Snapshots that were taken, by outcome."
        case .snapshotAge: "For how long some room has had something that isn't in a snapshot."
        case .upstreamRooms:
            "Rooms of other servers that are passed on, by whether their owner is there."
        case .upstreamSilence:
            "For how long the owner of some room has been away, or has owed an answer."
        case .roundTrip:
            "How long owners took to answer: what they had sent before was here by then."
        case .natsConnected: "1 if NATS is connected, otherwise 0."
        case .natsReconnects: "How often NATS was connected again."
        case .clusterServers: "Servers of the cluster that are there, this one included."
        case .pulseAge: "How long ago this server last heard itself through NATS."
        case .memory: "Memory of the process that is in use."
        case .descriptors: "Files and sockets that the process has open."
        case .mostDescriptors: "How many it may have."
        }
    }
}
