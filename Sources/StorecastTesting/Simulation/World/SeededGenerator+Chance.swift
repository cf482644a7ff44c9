import StorecastRoom

extension SeededGenerator {
    /// A generator of its own for one of the things in a simulation: what others draw, or that they
    /// are gone, changes nothing in it.
    init(seed: UInt64, for thing: Thing, _ number: Int = 0, _ part: Int = 0) {
        var hash = MixingHash(seed: seed)
        hash.mix(thing.rawValue)
        hash.mix(UInt64(number))
        hash.mix(UInt64(part))
        self.init(seed: hash.finish())
    }

    enum Thing: UInt64 {
        case scenario = 1
        case process, room, client, connection, restoration, loops
        /// 8, as no seed that failed before there were rarities has any with it.
        case rarity = 8
        /// 27, as no seed that failed before there were such names has any with it.
        case lookAlikes = 27
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
