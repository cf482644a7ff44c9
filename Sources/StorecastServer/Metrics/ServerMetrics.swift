import CoreMetrics
import StorecastRoom
import Synchronization

/// What one loop has counted and has, as of a moment.
struct LoopReport: Sendable {
    /// By metric, and the values of its labels.
    var counts: [MetricKey: Int] = [:]
    var gauges = LoopGauges()
    var freeBytes: Int?
    /// What the journal knows of the machines that keep it; of the first loop only.
    var link: JournalLink?
}

struct MetricKey: Hashable, Sendable {
    var metric: ServerMetric
    var labels: [String] = []
}

/// Hands what the loops of a server report each second to swift-metrics, and knows from it whether
/// the server is well.
final class ServerMetrics: Sendable {
    private struct State {
        var reports: [Int: (report: LoopReport, at: ContinuousClock.Instant)] = [:]
        var counters: [MetricKey: Counter] = [:]
        var meters: [MetricKey: Meter] = [:]
        var isStopping = false
        /// Why clients shouldn't be sent here, of what others know.
        var unreadiness: @Sendable () -> String? = { nil }
        /// Of the part of the server that has rooms.
        var part: ServerMetrics?
    }

    /// How long a loop may be silent until the server isn't ready, or isn't well.
    private static let (late, dead) = (Duration.seconds(5), Duration.seconds(30))

    private let factory: any MetricsFactory
    private let turn: Timer
    private let append: Timer
    private let takeover: Timer
    private let roundTrip: Timer
    private let state = Mutex(State())
    private let loops: Int

    init(_ factory: any MetricsFactory, loops: Int) {
        self.factory = factory
        self.loops = loops
        turn = Timer(label: ServerMetric.turn.rawValue, factory: factory)
        append = Timer(label: ServerMetric.append.rawValue, factory: factory)
        takeover = Timer(label: ServerMetric.takeover.rawValue, factory: factory)
        roundTrip = Timer(label: ServerMetric.roundTrip.rawValue, factory: factory)
    }

    deinit {
        state.withLock { state in
            for counter in state.counters.values { counter.destroy() }
            for meter in state.meters.values { meter.destroy() }
        }
        for timer in [turn, append, takeover, roundTrip] { timer.destroy() }
    }

    func took(_ time: Duration, _ measure: LoopMeasure) {
        let (seconds, attoseconds) = time.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        switch measure {
        case .turn: turn.recordNanoseconds(nanoseconds)
        case .append: append.recordNanoseconds(nanoseconds)
        case .takeover: takeover.recordNanoseconds(nanoseconds)
        case .roundTrip: roundTrip.recordNanoseconds(nanoseconds)
        }
    }

    /// Takes what a loop has counted since it began, and has now.
    func take(_ report: LoopReport, of loop: Int, at time: ContinuousClock.Instant = .now) {
        state.withLock { state in
            let before = state.reports[loop]?.report.counts ?? [:]
            state.reports[loop] = (report, time)
            for (key, count) in report.counts {
                counter(key, &state).increment(by: Int64(count - (before[key] ?? 0)))
            }
            // Once a second is enough.
            if loop == 0 { setGauges(&state) }
        }
    }

    func stops() { state.withLock { $0.isStopping = true } }

    func setUnreadiness(_ problem: @escaping @Sendable () -> String?) {
        state.withLock { $0.unreadiness = problem }
    }

    /// Says from now on also how the part of the server is that has rooms.
    func speaks(for part: ServerMetrics) { state.withLock { $0.part = part } }

    private func counter(_ key: MetricKey, _ state: inout State) -> Counter {
        if let known = state.counters[key] { return known }
        let made = Counter(
            label: key.metric.rawValue, dimensions: dimensions(key), factory: factory)
        state.counters[key] = made
        return made
    }

    private func set(
        _ metric: ServerMetric, _ labels: String..., to value: Int, _ state: inout State
    ) {
        meter(MetricKey(metric: metric, labels: labels), &state).set(value)
    }

    /// In seconds.
    private func set(_ metric: ServerMetric, to time: Duration, _ state: inout State) {
        meter(MetricKey(metric: metric), &state).set(time / .seconds(1))
    }

    private func meter(_ key: MetricKey, _ state: inout State) -> Meter {
        if let known = state.meters[key] { return known }
        let made = Meter(
            label: key.metric.rawValue, dimensions: dimensions(key), factory: factory)
        state.meters[key] = made
        return made
    }

    private func dimensions(_ key: MetricKey) -> [(String, String)] {
        Array(zip(key.metric.labels, key.labels))
    }

    private func setGauges(_ state: inout State) {
        let reports: [LoopReport] = state.reports.values.map { $0.report }
        let all = reports.map(\.gauges)
        func sum(_ value: (LoopGauges) -> Int) -> Int { all.reduce(0) { $0 + value($1) } }
        set(.info, Software.version, to: 1, &state)
        set(.ready, to: readiness(of: state) == nil ? 1 : 0, &state)
        set(.connections, to: sum(\.connections), &state)
        set(.behind, to: sum(\.outgoing.connections), &state)
        set(.rooms, "ready", to: sum(\.rooms.ready), &state)
        set(.rooms, "loading", to: sum(\.rooms.loading), &state)
        set(.rooms, "failed", to: sum(\.rooms.failed), &state)
        set(.groups, to: sum(\.groups), &state)
        set(.waiting, "journal", to: sum(\.waitingActions), &state)
        set(.waiting, "reading", to: sum(\.waitingMessages), &state)
        set(.waiting, "sending", to: sum(\.outgoing.bytes), &state)
        let age = all.map(\.snapshotAge).max() ?? .zero
        set(.snapshotAge, to: Int(age / .seconds(1)), &state)
        if let free = reports.compactMap(\.freeBytes).min() {
            set(.freeBytes, to: free, &state)
        }
        set(.upstreamRooms, "live", to: sum(\.upstream.live), &state)
        set(.upstreamRooms, "waiting", to: sum(\.upstream.waiting), &state)
        set(.upstreamSilence, to: all.map(\.upstreamSilence).max() ?? .zero, &state)
        if let link = reports.lazy.compactMap(\.link).first { setGauges(of: link, &state) }
        set(.memory, to: ProcessMemory.used, &state)
    }

    private func setGauges(of link: JournalLink, _ state: inout State) {
        set(.natsConnected, to: link.isConnected ? 1 : 0, &state)
        guard let cluster = link.cluster else { return }
        set(.clusterServers, to: cluster.servers, &state)
        set(.pulseAge, to: cluster.pulseAge, &state)
    }

    /// Not with the others, as it takes longer the more there are.
    func noteDescriptors() {
        let (open, limit) = (ProcessDescriptors.open, ProcessDescriptors.limit)
        state.withLock { state in
            set(.descriptors, to: open, &state)
            set(.mostDescriptors, to: limit, &state)
        }
    }

    // MARK: Health

    /// Why the server should be ended and started again; nil if it goes on.
    var illness: String? {
        state.withLock { state in
            if state.isStopping { return nil }
            return silence(in: state, longerThan: Self.dead)
                ?? state.part?.illness.map(Self.ofPart)
        }
    }

    /// Why clients shouldn't be sent here now; nil if they should.
    var unreadiness: String? { state.withLock { readiness(of: $0) } }

    /// Of the part of a cluster's server that has rooms: clients hear the same of a room at every
    /// server, so it doesn't count whether rooms can be read.
    private var unreadinessAsPart: String? {
        state.withLock { readiness(of: $0, countsReading: false).map(Self.ofPart) }
    }

    private static func ofPart(_ problem: String) -> String {
        "The part with the rooms: \(problem)"
    }

    private func readiness(of state: State, countsReading: Bool = true) -> String? {
        if state.isStopping { return "The server stops." }
        if state.reports.count < loops { return "The server starts." }
        if let silence = silence(in: state, longerThan: Self.late) { return silence }
        let all = state.reports.values.map { $0.report.gauges }
        if countsReading, all.allSatisfy({ $0.rooms.ready == 0 }) {
            if all.contains(where: { $0.rooms.loading > 0 }) {
                return "The rooms are still reading their history."
            }
            if all.contains(where: { $0.rooms.failed > 0 }) { return "The rooms can't be read." }
        }
        return all.contains(where: \.isRefused)
            ? "The journal isn't accepting writes."
            : state.unreadiness() ?? state.part?.unreadinessAsPart
    }

    private func silence(in state: State, longerThan bound: Duration) -> String? {
        let now = ContinuousClock.now
        for (loop, last) in state.reports.sorted(by: { $0.key < $1.key })
        where now - last.at > bound {
            return "Loop \(loop) has done nothing for \(Int((now - last.at) / .seconds(1))) s."
        }
        return nil
    }
}
