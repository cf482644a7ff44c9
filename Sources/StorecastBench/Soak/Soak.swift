import Foundation
package import StorecastWebSocket
import StorecastWire

/// Hours of a load with clients that come and go and others that don't read, on a server that is
/// ended and started again; and what is watched meanwhile.
package struct SoakPlan: Sendable {
    /// Where the server comes from.
    package enum Server: Sendable {
        /// The soak starts it: a program and its arguments, which prints `listening on URL`.
        case started([String], log: String)
        /// It runs already, as this process if that is known.
        case running(url: String, process: Int32?)
    }

    package var server: Server
    /// Reads the URL that a server prints.
    package var configuration: @Sendable (String) -> WebSocketClientConfiguration?
    package var duration: Duration
    /// Actions per second, of all clients together.
    package var rate = 100.0
    /// How many clients stay; as many come and go, and a fifth of that doesn't read.
    package var clients = 10
    package var token: String?
    /// How often the server is ended in the first third of the time, half of them by SIGKILL.
    package var restarts = 6
    /// The journal: what is watched are this file and those whose names begin with its name.
    package var data: String?

    package init(
        server: Server, duration: Duration,
        configuration: @escaping @Sendable (String) -> WebSocketClientConfiguration?
    ) {
        self.server = server
        self.duration = duration
        self.configuration = configuration
    }
}

/// What a soak saw at one moment.
package struct SoakSample: Sendable, Equatable {
    /// Since the soak began.
    package var seconds: Double
    package var restarts: Int
    /// How many clients were connected.
    package var clients: Int
    /// How many actions were acked so far.
    package var acked: Int
    package var memory: Int?
    package var descriptors: Int?
    package var files: Int?
    /// Of one processor, since the sample before.
    package var processor: Double?
    /// In nanoseconds, of those acked since the sample before; nil if none was.
    package var p50: Int64?
    package var p99: Int64?

    package init(
        seconds: Double, restarts: Int, clients: Int, acked: Int, memory: Int? = nil,
        descriptors: Int? = nil, files: Int? = nil, processor: Double? = nil, p50: Int64? = nil,
        p99: Int64? = nil
    ) {
        self.seconds = seconds
        self.restarts = restarts
        self.clients = clients
        self.acked = acked
        self.memory = memory
        self.descriptors = descriptors
        self.files = files
        self.processor = processor
        self.p50 = p50
        self.p99 = p99
    }
}

/// What came of a soak.
package struct SoakResult: Sendable {
    package var duration: Duration
    package var samples: [SoakSample] = []
    package var restarts = 0
    /// Samples before aren't judged: half of the time, in which the server was restarted and
    /// filled its memory.
    package var judgedFrom = 0.0
    package var acked = 0
    package var connections = 0
    package var clients = 0
    /// What must not happen, in sentences.
    package var troubles: [String] = []

    package init(duration: Duration) { self.duration = duration }

    /// In less than half a minute it is chance what grows.
    private static let shortest = 30.0

    /// What grows, and what doesn't; nothing of what wasn't seen often and long enough.
    package var trends: [(measure: SoakMeasure, trend: Trend)] {
        let judged = samples.filter { $0.seconds >= judgedFrom }
        return SoakMeasure.all.compactMap { measure in
            let points = judged.compactMap { sample in
                measure.value(sample).map { (time: sample.seconds, value: $0) }
            }
            guard let trend = Trend(points), trend.span >= Self.shortest else { return nil }
            return (measure, trend)
        }
    }
}

/// Something that mustn't grow, and by how much it may.
package struct SoakMeasure: Sendable {
    package var name: String
    package var value: @Sendable (SoakSample) -> Double?
    package var text: @Sendable (Double) -> String
    /// It may grow by so much in the time that is judged, or by such a part of its median.
    package var least: Double
    package var part: Double

    package func isGrowing(_ trend: Trend) -> Bool { trend.grows(beyond: least, part: part) }

    /// How much may be more at the end than at the beginning.
    package func bound(_ trend: Trend) -> Double { max(least, trend.median * part) }

    package static let all = [
        SoakMeasure(
            name: "memory", value: { $0.memory.map(Double.init) },
            text: { Int($0).bytesText }, least: 8e6, part: 0.1),
        SoakMeasure(
            name: "descriptors", value: { $0.descriptors.map(Double.init) },
            text: { "\(Int($0.rounded()))" }, least: 5, part: 0.1),
        SoakMeasure(
            name: "files", value: { $0.files.map(Double.init) },
            text: { Int($0).bytesText }, least: 8e6, part: 0.1),
        SoakMeasure(
            name: "ack p50", value: { $0.p50.map(Double.init) },
            text: { Int64($0).latencyText }, least: 2e6, part: 0.5),
        SoakMeasure(
            name: "ack p99", value: { $0.p99.map(Double.init) },
            text: { Int64($0).latencyText }, least: 10e6, part: 0.5),
    ]
}

/// Runs a ``SoakPlan``.
package final class Soak {
    private let plan: SoakPlan
    private let thread: SoakThread
    private var process: ServerProcess?
    private var result: SoakResult
    private var lastFigures: (at: Double, figures: ProcessFigures)?
    /// When the server was there first.
    private var start = ContinuousClock.now

    /// How long a server may take to start, or to stop.
    private static let patience: Duration = .seconds(60)

    package init(_ plan: SoakPlan) throws(LoadError) {
        self.plan = plan
        do throws(EventLoopError) { thread = try SoakThread(plan) } catch {
            throw LoadError(error.description)
        }
        result = SoakResult(duration: plan.duration)
        result.judgedFrom = plan.duration / .seconds(2)
    }

    private var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

    /// Runs until the plan's time is over or `stop` is set; then looks whether everything that was
    /// acked is there.
    ///
    /// - Parameter sampled: is told of every sample.
    /// - Throws: if the server can't be started.
    package func run(
        stop: StopSignal = StopSignal(), sampled: (SoakSample) throws -> Void = { _ in }
    ) async throws -> SoakResult {
        do {
            try await begin()
            start = .now
            try await watch(stop, sampled)
            try await finish()
        } catch {
            process?.signal(SIGKILL)
            await thread.close()
            throw error
        }
        await thread.close()
        return result
    }

    private func watch(_ stop: StopSignal, _ sampled: (SoakSample) throws -> Void) async throws {
        let length = plan.duration / .seconds(1)
        let interval = min(10, max(0.05, length / 600))
        var restarts: [Double] = []
        if process != nil, plan.restarts > 0 {
            let gap = length / 3 / Double(plan.restarts)
            restarts = (1...plan.restarts).map { gap * (Double($0) - 0.5) }
        }
        var next = interval
        while seconds < length, !stop.isSet {
            let now = seconds
            try? await Task.sleep(for: .seconds(min(0.2, max(0.001, next - now))))
            if let end = process?.end {
                throw LoadError("The server ended by itself: \(Self.sentence(end))")
            }
            if seconds >= next {
                next = max(next + interval, seconds)
                let sample = await sample()
                result.samples.append(sample)
                try sampled(sample)
            }
            if let due = restarts.first, seconds >= due {
                restarts.removeFirst()
                try await restart(result.restarts % 2 == 0 ? SIGKILL : SIGTERM)
            }
        }
    }

    private func sample() async -> SoakSample {
        let counts = await thread.take()
        note(counts)
        var sample = SoakSample(
            seconds: seconds, restarts: result.restarts, clients: counts.live, acked: counts.acked)
        if counts.acks.count > 0 {
            (sample.p50, sample.p99) = (counts.acks.quantile(0.5), counts.acks.quantile(0.99))
        }
        sample.files = plan.data.map { ProcessFigures.bytes(ofFilesLike: $0) }
        guard let id = watchedProcess else { return sample }
        let figures = ProcessFigures(of: id)
        (sample.memory, sample.descriptors) = (figures.memory, figures.descriptors)
        if let before = lastFigures, let used = figures.processorTime,
            let usedBefore = before.figures.processorTime, sample.seconds > before.at
        {
            sample.processor = (used - usedBefore) / (sample.seconds - before.at)
        }
        lastFigures = (sample.seconds, figures)
        return sample
    }

    private var watchedProcess: Int32? {
        if case .running(_, let id) = plan.server { return id }
        return process?.id
    }

    private func note(_ counts: SoakCounts) {
        (result.acked, result.connections) = (counts.acked, counts.connections)
        result.clients = counts.clients
        result.troubles = counts.troubles.sorted { $0.key < $1.key }.map { sentence, count in
            count == 1 ? sentence.string : "\(sentence.string) (\(count.grouped) times)"
        }
    }

    // MARK: The server

    private func begin() async throws(LoadError) {
        let url: String
        switch plan.server {
        case .running(let running, _): url = running
        case .started(let words, let log):
            let process = try ServerProcess(words, log: log)
            self.process = process
            lastFigures = nil
            guard let said = await process.url(within: Self.patience) else {
                let why = process.end.map(Self.sentence) ?? "It doesn't say `listening on URL`."
                process.signal(SIGKILL)
                throw LoadError("The server doesn't start: \(why) Its log is in \(log).")
            }
            url = said
        }
        guard let configuration = plan.configuration(url) else {
            throw LoadError("'\(url)' is no server's address.")
        }
        await thread.setServer(configuration)
    }

    private func restart(_ signal: Int32) async throws(LoadError) {
        guard let process else { return }
        // Actions are under way when it ends; none is given out until it is there again.
        process.signal(signal)
        let end = await process.end(within: Self.patience)
        await thread.setServer(nil)
        if signal == SIGTERM, end != .status(0) {
            let why = end.map(Self.sentence) ?? "It took longer than \(Self.patience)."
            throw LoadError("The server didn't stop in order: \(why)")
        }
        result.restarts += 1
        try await begin()
    }

    /// Once more kills it, and compares the document with what was acked; then stops it in order.
    private func finish() async throws(LoadError) {
        try await restart(SIGKILL)
        await thread.rest()
        let deadline = ContinuousClock.now + .seconds(30)
        var counts = await thread.take()
        while counts.pending > 0, .now < deadline {
            try? await Task.sleep(for: .milliseconds(20))
            counts = await thread.take()
        }
        let value = await thread.readCounter()
        counts = await thread.take()
        note(counts)
        if counts.pending > 0 {
            result.troubles.append(
                "\(counts.pending.grouped) actions still have no outcome, 30 s after the end.")
        } else if let value, value != counts.counted {
            result.troubles.append(
                "The document counts \(value.grouped), and \(counts.counted.grouped) increments "
                    + "were acked.")
        } else if value == nil {
            result.troubles.append("The server doesn't say what the document counts.")
        }
        guard let process else { return }
        process.signal(SIGTERM)
        let end = await process.end(within: Self.patience)
        if end != .status(0) {
            let why = end.map(Self.sentence) ?? "It took longer than \(Self.patience)."
            result.troubles.append("The server didn't stop in order: \(why)")
        }
    }

    private static func sentence(_ end: ServerProcess.End) -> String {
        switch end {
        case .status(let status): "It ended with status \(status)."
        case .signal(let signal): "Signal \(signal) ended it."
        }
    }
}
