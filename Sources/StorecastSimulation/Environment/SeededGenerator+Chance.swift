import StorecastRoom

extension SeededGenerator {
    /// An independent generator for one purpose: what others draw, and whether they exist, doesn't
    /// change it.
    init(seed: UInt64, for stream: Stream, _ number: Int = 0, _ part: Int = 0) {
        var hash = MixingHash(seed: seed)
        hash.mix(stream.rawValue)
        hash.mix(UInt64(number))
        hash.mix(UInt64(part))
        self.init(seed: hash.finish())
    }

    /// The purposes. Their numbers are part of what a seed means.
    enum Stream: UInt64 {
        case scenario = 1
        case process, room, client, connection, restoration, loops
        /// 8, as with this number none of the seeds that failed before has rare actions.
        case rareActions = 8
        /// 27, as with this number none of the seeds that failed before has such names.
        case lookAlikes = 27
        /// 85, as with this number none of the seeds that failed before has another room.
        case tables = 85
        /// 34,452, as with this number none of the seeds that failed before has parts.
        case parts = 34_452
        case tokens = 34_453
        case work = 34_454
        case servers, link, choice, parting, log
    }

    mutating func happens(oneIn count: Int) -> Bool {
        below(count) == 0
    }

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[below(values.count)]
    }

    /// A time of at most `longest`, in whole microseconds.
    mutating func duration(upTo longest: Duration) -> Duration {
        let (seconds, attoseconds) = longest.components
        let most = Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
        return most > 0 ? .microseconds(below(most + 1)) : .zero
    }

    /// The place of one of `weights`, each as likely as it weighs.
    mutating func place(in weights: [Int]) -> Int {
        var rest = below(weights.reduce(0, +))
        for (place, weight) in weights.enumerated() {
            if rest < weight { return place }
            rest -= weight
        }
        return weights.count - 1
    }
}
