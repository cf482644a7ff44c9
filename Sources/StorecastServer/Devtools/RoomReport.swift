import StorecastRoom

/// What the devtools show of a room in a list.
struct RoomReport: Codable, Sendable {
    var room: String
    var epoch: String
    var version: UInt64
    var phase: String
    var clients: Int
    var subscriptions: [ExactString: Int]
    var lag: UInt64
    var waiting: Int
    var waitingBytes: Int
    var traffic: LinkTraffic
    /// In microseconds, of the time since the last report; nil if there was nothing.
    var append: Latencies.Percentiles?
    var commit: Latencies.Percentiles?
    /// Since the last report; 0 in the first.
    var actionsPerSecond = 0.0
    var messagesPerSecond = 0.0

    init(_ name: String, _ inspection: RoomInspection, clients: Int, _ traffic: LinkTraffic) {
        room = name
        epoch = inspection.position.epoch
        version = inspection.position.version
        phase = inspection.phase
        self.clients = clients
        subscriptions = inspection.subscriptions
        lag = inspection.lag
        waiting = inspection.waiting
        waitingBytes = inspection.waitingBytes
        self.traffic = traffic
    }
}

/// One second of a room, or of all of them, for a graph.
struct Sample: Codable, Sendable {
    /// Seconds since 1970.
    var time: Double
    var actions = 0.0
    var messages = 0.0
    var received: UInt64 = 0
    var sent: UInt64 = 0
    var append: Latencies.Percentiles?
    var commit: Latencies.Percentiles?
}
