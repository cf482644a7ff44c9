import StorecastRoom
import StorecastWire

/// A room in the devtools' list.
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
    var traffic: ConnectionTraffic
    /// How long the journal and the reducer took since the last report; nil if there was nothing.
    var append: Latencies.Percentiles?
    var commit: Latencies.Percentiles?
    /// Since the last report; 0 in the first.
    var actionsPerSecond = 0.0
    var messagesPerSecond = 0.0

    init(_ name: String, _ inspection: RoomInspection, clients: Int, _ traffic: ConnectionTraffic) {
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

/// One room, what its selections cost, and the clients in it.
struct RoomDetail: Encodable {
    /// What the selections of one name cost, since the room was opened.
    struct Selection: Encodable {
        var selection: String
        var way: String
        var groups: Int
        var evaluations: Int
        var changes: Int
        var bytes: Int
        /// Of an evaluation, on average.
        var microseconds: Double
        var share: Double

        init(_ cost: SelectionCost) {
            selection = cost.name.string
            way = cost.way.rawValue
            groups = cost.groups
            evaluations = cost.evaluations
            changes = cost.changes
            bytes = cost.bytes
            microseconds = cost.mean.microseconds
            share = (cost.share * 1000).rounded() / 1000
        }
    }

    struct Subscription: Encodable {
        var selection: String
        var parameters: JSON
        var lag: UInt64
        var bytes: Int
    }

    struct Client: Encodable {
        var participant: String
        var user: String
        var roles: [String]
        var address: String
        var lag: UInt64
        var traffic: ConnectionTraffic
        /// Seconds since something came from it.
        var silence: Double?
        /// The version that it knew when it last dispatched something, since somebody looks.
        var knew: UInt64?
        /// For how many milliseconds that had been an old one; nil if that isn't known.
        var knewLate: Double?
        /// The first 20.
        var subscriptions: [Subscription]

        private static let maxSubscriptions = 20

        init(
            _ session: ServerSession, _ counter: TrafficCounter?,
            _ clock: ClientClocks.Reading?
        ) {
            participant = participantID(of: session.client)
            user = session.identity.id
            roles = session.identity.roles.sortedExactly()
            address = counter?.address ?? ""
            lag = session.lag
            traffic = counter?.traffic ?? ConnectionTraffic()
            silence = counter?.silence.map { ($0 / .seconds(1)).rounded() }
            knew = clock?.version
            knewLate = clock?.age.map { ($0 / .milliseconds(1)).rounded() }
            subscriptions = session.inspectedSubscriptions.prefix(Self.maxSubscriptions).map {
                Subscription(
                    selection: $0.selection, parameters: $0.parameters, lag: $0.lag,
                    bytes: $0.bytes)
            }
        }
    }

    var room: String
    var version: UInt64
    var epoch: String
    var phase: String
    var actions: [String]
    var selections: [Selection]
    /// What dispatches cost since somebody looks.
    var dispatches: [ActionMeter.Cost]
    /// How many clients there are, also those left out of `clients`.
    var count: Int
    var clients: [Client]
}

/// Computes rates from the counters of successive reports, and keeps those of the last minutes for
/// graphs.
struct RateMeter {
    private static let keptSamples = 240

    private struct Reading {
        var time: Double
        var report: RoomReport
    }

    /// The rooms as they were reported last.
    private var last: [ExactString: Reading] = [:]
    /// By the room, empty for all together; only those that somebody is subscribed to.
    private var history: [ExactString: [Sample]] = [:]
    private var newest: [ExactString: Sample] = [:]

    /// The reports with their rates since the last ones, those of the rooms with the most clients
    /// first.
    mutating func measure(_ reports: [RoomReport], at time: Double) -> [RoomReport] {
        var total = Sample(time: time)
        newest = [:]
        let measured = reports.map { report in
            var report = report
            let sample = sample(&report, at: time)
            newest[ExactString(report.room)] = sample
            total.add(sample)
            return report
        }
        newest[""] = total
        last = Dictionary(
            measured.map { (ExactString($0.room), Reading(time: time, report: $0)) },
            uniquingKeysWith: { $1 })
        for room in history.keys {
            let kept = history[room, default: []].suffix(Self.keptSamples - 1)
            history[room] = kept + [newest[room] ?? Sample(time: time)]
        }
        return measured.sorted {
            ($0.clients, ExactString($1.room)) > ($1.clients, ExactString($0.room))
        }
    }

    private func sample(_ report: inout RoomReport, at time: Double) -> Sample {
        var sample = Sample(time: time, append: report.append, commit: report.commit)
        guard let before = last[ExactString(report.room)],
            before.report.epoch.isSameText(as: report.epoch)
        else { return sample }
        let span = max(time - before.time, 0.001)
        func rate(_ counter: (RoomReport) -> UInt64) -> Double {
            let (old, new) = (counter(before.report), counter(report))
            return new > old ? Double(new - old) / span : 0
        }
        sample.actions = rate(\.version)
        sample.messages = rate(\.traffic.sent.messages)
        sample.received = UInt64(rate(\.traffic.received.bytes))
        sample.sent = UInt64(rate(\.traffic.sent.bytes))
        report.actionsPerSecond = sample.actions
        report.messagesPerSecond = sample.messages
        return sample
    }

    /// The samples of a room, empty for all; begins to keep them.
    mutating func samples(of room: ExactString) -> [Sample] {
        if history[room] == nil { history[room] = [newest[room] ?? Sample(time: 0)] }
        return history[room] ?? []
    }

    /// Forgets the samples that nobody is subscribed to.
    mutating func keep(_ questions: [DevtoolsQuestion]) {
        let wanted = questions.compactMap { question in
            if case .graphs(let parameters) = question { parameters.room } else { nil }
        }
        history = history.filter { wanted.contains($0.key) }
    }
}

extension Sample {
    fileprivate mutating func add(_ other: Sample) {
        actions += other.actions
        messages += other.messages
        received += other.received
        sent += other.sent
        append = Self.slower(append, other.append)
        commit = Self.slower(commit, other.commit)
    }

    private static func slower(
        _ one: Latencies.Percentiles?, _ other: Latencies.Percentiles?
    ) -> Latencies.Percentiles? {
        guard let one, let other else { return one ?? other }
        return one.most >= other.most ? one : other
    }
}
