package import StorecastWire

/// One rate at which a load is put on a server.
package struct LoadStep: Sendable {
    /// Actions per second, of all connections together.
    package var rate: Double
    /// Actions before it ends aren't measured.
    package var warmUp: Duration
    /// How long actions are measured.
    package var duration: Duration

    package init(rate: Double, warmUp: Duration, duration: Duration) {
        self.rate = rate
        self.warmUp = warmUp
        self.duration = duration
    }
}

/// What was measured at one rate.
package struct StepResult: Sendable {
    package var step: LoadStep
    /// How long actions were measured: the step's duration, or less if it was stopped.
    package var seconds: Double
    package var tally: Tally
    /// From when an action was due until the last mirror had it; nil without mirrors.
    package var mirrors: Histogram?
    /// How many acked actions not every mirror heard of.
    package var unseen: Int

    /// Actions acked per second.
    package var achieved: Double { seconds > 0 ? Double(tally.ackedInTime) / seconds : 0 }

    /// Whether the tool itself was too late to be believed: a tenth of the latency, and more than
    /// a millisecond, for one action in a hundred.
    package var isToolLate: Bool {
        let lateness = tally.lateness.quantile(0.99)
        return lateness > 1_000_000 && lateness > tally.acks.quantile(0.99) / 10
    }
}

extension StepResult {
    /// The quantiles that are reported, by their names.
    package static let quantiles: [(name: String, fraction: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1),
    ]

    /// Everything, for programs; latencies in microseconds.
    package var json: JSON {
        var object: JSONObject = [
            "rate": .double(step.rate), "achieved": .double(achieved), "seconds": .double(seconds),
            "sent": .int(Int64(tally.sent)), "unsent": .int(Int64(tally.unsent)),
            "unanswered": .int(Int64(tally.unanswered)), "lost": .int(Int64(tally.lost)),
            "bytesSent": .int(Int64(tally.bytesSent)),
            "bytesReceived": .int(Int64(tally.bytesReceived)),
            "ack": Self.json(tally.acks), "lateness": Self.json(tally.lateness),
        ]
        if let mirrors {
            object["mirror"] = Self.json(mirrors)
            object["unseen"] = .int(Int64(unseen))
        }
        object["refused"] = .object(
            JSONObject(
                tally.refusals.sorted { $0.key < $1.key }.map { code, refusals in
                    let text: JSON = .string(refusals.first)
                    return (code.string, ["count": .int(Int64(refusals.count)), "first": text])
                }))
        return .object(object)
    }

    private static func json(_ histogram: Histogram) -> JSON {
        var object: JSONObject = ["count": .int(Int64(histogram.count))]
        guard histogram.count > 0 else { return .object(object) }
        object["mean"] = .double((histogram.mean / 10).rounded() / 100)
        for (name, fraction) in quantiles {
            object[name] = .double(Double(histogram.quantile(fraction)) / 1000)
        }
        return .object(object)
    }
}
