import StorecastWebSocket
import Synchronization

/// Puts a load on a server, at one rate after the other.
package final class Bench {
    private let plan: LoadPlan
    private let threads: [LoadThread]
    /// The threads that have mirrors.
    private let following: [Int]
    private var delays: MirrorDelays
    private var firstNumber = 0
    /// How long connecting and subscribing took.
    package let setUp: Duration

    /// How long outcomes are waited for after a step.
    private static let longestWait: Duration = .seconds(5)
    /// Once nothing has come for so long, nothing more is on its way to the mirrors.
    private static let silence: Duration = .milliseconds(300)

    /// How far a step has come.
    package struct Progress: Sendable {
        package var rate: Double
        package var elapsed: Duration
        package var total: Duration
        /// What was acked per second, and how soon, since this was last told.
        package var ackedPerSecond: Double
        package var acks: Histogram
        /// How many actions are due and have no outcome.
        package var open: Int
    }

    /// Connects and subscribes everything that the plan has.
    ///
    /// - Throws: what the server, or the system, has said against it.
    package init(_ plan: LoadPlan) async throws(LoadError) {
        self.plan = plan
        let count = max(1, min(plan.threads, plan.connections + plan.mirrors))
        let start = ContinuousClock.now
        let shares = (0..<count).map { thread in
            (
                connections: Array(stride(from: thread, to: plan.connections, by: count)),
                mirrors: Array(stride(from: thread, to: plan.mirrors, by: count))
            )
        }
        var threads: [LoadThread] = []
        do throws(LoadError) {
            for index in 0..<count { threads.append(try Self.thread(index)) }
            try await Self.open(plan, Array(zip(threads, shares)))
        } catch {
            for thread in threads { await thread.close() }
            throw error
        }
        self.threads = threads
        following = shares.indices.filter { !shares[$0].mirrors.isEmpty }
        delays = MirrorDelays(threads: following.count)
        setUp = .now - start
    }

    package func close() async {
        for thread in threads { await thread.close() }
    }

    /// Dispatches at a rate, and waits for the outcomes.
    ///
    /// - Parameters:
    ///   - stop: ends the step before its time.
    ///   - progress: is told about once a second how far it has come.
    /// - Returns: what was measured; nil if it was stopped before anything was.
    package func run(
        _ step: LoadStep, stop: StopSignal = StopSignal(), progress: (Progress) -> Void = { _ in }
    ) async -> StepResult? {
        delays.reset()
        var pace = pace(of: step)
        for thread in threads { await thread.begin(pace) }
        var total = Tally()
        var told = Clock.now
        while Clock.now < pace.end, !stop.isSet {
            let left = pace.end - Clock.now
            try? await Task.sleep(for: min(.milliseconds(50), .nanoseconds(max(left, 0))))
            let now = Clock.now
            guard now - told >= 1_000_000_000 else { continue }
            let news = await collect(into: &total)
            progress(Self.progress(step, pace, news, now, since: told))
            told = now
        }
        if stop.isSet {
            pace.end = min(pace.end, Clock.now)
            for thread in threads { await thread.cut(at: pace.end) }
        }
        await awaitOutcomes(&total)
        // Above all that were due.
        firstNumber += Int(Double(pace.end - pace.start) / 1e9 * step.rate) + plan.connections + 1
        guard pace.end > pace.measuredFrom else { return nil }
        return StepResult(
            step: step, seconds: Double(pace.end - pace.measuredFrom) / 1e9, tally: total,
            mirrors: plan.mirrors > 0 ? delays.delays : nil, unseen: delays.unseen)
    }

    private func pace(of step: LoadStep) -> Pace {
        // The threads hear of it one after the other.
        let start = Clock.now + 5_000_000
        let measuredFrom = start + step.warmUp.nanoseconds
        return Pace(
            rate: step.rate, connections: plan.connections, firstNumber: firstNumber,
            start: start, measuredFrom: measuredFrom,
            end: measuredFrom + step.duration.nanoseconds)
    }

    private func awaitOutcomes(_ total: inout Tally) async {
        let end = ContinuousClock.now + Self.longestWait
        var quiet = ContinuousClock.now + Self.silence
        while ContinuousClock.now < end {
            let unseen = delays.unseen
            let news = await collect(into: &total)
            if news.open == 0, unseen == 0, delays.unseen == 0 { break }
            if news.open > 0 || !news.floors.isEmpty { quiet = .now + Self.silence }
            if quiet < .now { break }
            try? await Task.sleep(for: .milliseconds(5))
        }
        let now = Clock.now
        for thread in threads { await thread.giveUp(at: now) }
        await collect(into: &total)
    }

    /// Takes what the threads have counted; returns that alone.
    @discardableResult
    private func collect(into total: inout Tally) async -> Tally {
        var news = Tally()
        for (index, thread) in threads.enumerated() {
            let tally = await thread.take()
            news.merge(tally)
            news.acked += tally.acked
            guard let place = following.firstIndex(of: index) else { continue }
            news.floors += tally.floors
            delays.add(floors: tally.floors, of: place)
        }
        delays.add(acked: news.acked)
        total.merge(news)
        return news
    }

    private static func progress(
        _ step: LoadStep, _ pace: Pace, _ news: Tally, _ now: Int64, since last: Int64
    ) -> Progress {
        Progress(
            rate: step.rate, elapsed: .nanoseconds(max(now - pace.start, 0)),
            total: .nanoseconds(pace.end - pace.start),
            ackedPerSecond: Double(news.acks.count) * 1e9 / Double(max(now - last, 1)),
            acks: news.acks, open: news.open)
    }

    private static func thread(_ index: Int) throws(LoadError) -> LoadThread {
        do throws(EventLoopError) {
            return try LoadThread(name: "storecast-load\(index)")
        } catch {
            throw LoadError(error.description)
        }
    }

    private static func open(
        _ plan: LoadPlan,
        _ shares: [(LoadThread, (connections: [Int], mirrors: [Int]))]
    ) async throws(LoadError) {
        let problem = await withTaskGroup(
            of: LoadError?.self, returning: LoadError?.self
        ) { group in
            for (thread, share) in shares {
                group.addTask { () -> LoadError? in
                    do throws(LoadError) {
                        try await thread.open(
                            plan, connections: share.connections, mirrors: share.mirrors)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            // One that fails doesn't wait for the others' patience.
            for await problem in group {
                if let problem { return problem }
            }
            return nil
        }
        if let problem { throw problem }
    }
}

/// Tells a bench, from anywhere, to end.
package final class StopSignal: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package var isSet: Bool { flag.load(ordering: .relaxed) }

    package func set() { flag.store(true, ordering: .relaxed) }
}
