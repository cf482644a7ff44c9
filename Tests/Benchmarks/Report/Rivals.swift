import MeasureSupport

/// Servers that do the same work in turns, so that what else the machine does touches all alike.
struct Rivals {
    private struct Rival {
        let label: String
        let process: ChildProcess
        let prepare: () throws -> Void
        let work: () throws -> Void
        var costs: [Double] = []
    }

    private var rivals: [Rival] = []

    /// - Parameters:
    ///   - prepare: what the load has to do before the work, unmeasured.
    ///   - work: has the server do its work, and waits for it.
    mutating func add(
        _ label: String, _ process: ChildProcess, prepare: @escaping () throws -> Void = {},
        work: @escaping () throws -> Void
    ) {
        rivals.append(Rival(label: label, process: process, prepare: prepare, work: work))
    }

    /// A server whose work is to answer `count` messages of each connection.
    mutating func add(_ label: String, _ process: ChildProcess, _ exchange: Exchange, count: Int) {
        add(label, process, prepare: { try exchange.prepare(count) }) { try exchange.run() }
    }

    /// Measures the processor time of each one for one of `count` pieces of work, in microseconds.
    mutating func measure(runs: Int, count: Int) throws {
        // The first warms up.
        for run in 0...runs {
            for index in rivals.indices {
                try rivals[index].prepare()
                let before = rivals[index].process.processorTime
                try rivals[index].work()
                let time = rivals[index].process.processorTime - before
                if run > 0 { rivals[index].costs.append(time * 1e6 / Double(count)) }
            }
        }
    }

    /// A row for each, and for each how it compares with the one called `base`, if there is one.
    func report(_ what: String, _ unit: String, to base: String, _ table: inout Table) {
        for rival in rivals {
            table.add("\(what): \(rival.label)", Measurement(rival.costs), "CPU µs/\(unit)")
        }
        guard let base = rivals.first(where: { $0.label == base }) else { return }
        for rival in rivals where rival.label != base.label {
            let ratios = zip(rival.costs, base.costs).map { $0 / $1 }
            table.add("… \(rival.label) : \(base.label)", Measurement(ratios), "times the CPU")
        }
    }

    /// A row for each with how many pieces of work it does in a second of processor time.
    func reportRates(_ what: String, _ unit: String, _ table: inout Table) {
        for rival in rivals {
            table.add(
                "\(what): \(rival.label)", Measurement(rival.costs.map { 1e6 / $0 }),
                "\(unit)/server CPU s")
        }
    }
}
