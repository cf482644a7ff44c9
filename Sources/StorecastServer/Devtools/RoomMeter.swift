import StorecastSync

/// Makes rates of counters, and keeps those of the last minutes for graphs.
struct RoomMeter {
    private static let keptSamples = 240

    private struct Reading {
        var time: Double
        var report: RoomReport
    }

    /// The rooms as they were reported last.
    private var last: [ExactString: Reading] = [:]
    /// By the room, empty for all of them; one that nobody looks at isn't kept.
    private var rings: [ExactString: [Sample]] = [:]
    private var newest: [ExactString: Sample] = [:]

    /// The reports with what happened per second since those before, in the rooms' order by
    /// clients.
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
        for room in rings.keys {
            let ring = rings[room, default: []].suffix(Self.keptSamples - 1)
            rings[room] = ring + [newest[room] ?? Sample(time: time)]
        }
        return measured.sorted {
            ($0.clients, ExactString($1.room)) > ($1.clients, ExactString($0.room))
        }
    }

    private func sample(_ report: inout RoomReport, at time: Double) -> Sample {
        var sample = Sample(time: time, append: report.append, commit: report.commit)
        guard let before = last[ExactString(report.room)], before.report.epoch == report.epoch
        else {
            return sample
        }
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
        if rings[room] == nil { rings[room] = [newest[room] ?? Sample(time: 0)] }
        return rings[room] ?? []
    }

    /// Forgets the samples that nobody looks at.
    mutating func keep(_ questions: [DevtoolsQuestion]) {
        let wanted = questions.compactMap { question in
            if case .graphs(let place) = question { place.room } else { nil }
        }
        rings = rings.filter { wanted.contains($0.key) }
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
