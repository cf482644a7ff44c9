/// Tells on standard error, if that is a terminal, how far work has come that takes longer than a
/// second.
struct Progress {
    private let total: Int
    private var done = 0
    private var next = ContinuousClock.now + .seconds(1)

    init(of total: Int) {
        self.total = total
    }

    mutating func advance() {
        done += 1
        // A look at the clock costs as much as reading an entry.
        guard done.isMultiple(of: 100), ContinuousClock.now > next, StandardError.isTerminal else {
            return
        }
        next = .now + .seconds(1)
        StandardError.write("\(done) of \(total) entries, \(done * 100 / max(1, total)) %")
    }
}
