import MeasureSupport
import StorecastServer
import TestSupport

/// An owner and its edges, beside a single server with as many connections as one of the edges: what
/// a frame, a change, a client and its coming cost each of them.
enum EdgeCost: Benchmark {
    static let name = "edges"
    static let summary = "An owner and its edges, beside a single server"

    /// How much there is of all.
    private struct Plan {
        let edges: Int
        /// How many connections each edge has, and the single server.
        let each: Int
        /// Changes a second.
        let rate: Double
        /// How many connections of each come first, and use what starting has left over.
        var first: Int { min(100, each / 5) }

        init(_ scale: Scale, _ table: inout Table) throws {
            edges = try Given.number("--edges") ?? 3
            rate = Double(try Given.number("--rate") ?? scale.pick(20, 1))
            let wanted = try Given.number("--connections") ?? scale.pick(300, 60_000)
            // A few are others'.
            let most = min(DescriptorLimit.connections, Machine.portsToOneServer) - 50
            each = max(5, min(wanted / edges, most))
            table.add("edges", Double(edges), "")
            table.add("connections at each of them, and at a single server", Double(each), "")
            if each < wanted / edges {
                table.note(
                    "\(wanted) connections were asked for: this process's limit of descriptors, or the "
                        + "system's range of ports, is enough for \(each) of each server. With more "
                        + "--edges there are more.")
            }
        }
    }

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let plan = try Plan(scale, &table)
        try crowd(scale, plan, &table)
        try countEdges(scale, &table)
        try receive(scale, &table)
        try restart(scale, plan, &table)
        table.note(
            "Beside other work on the machine, the processor time holds, and the times don't.")
    }

    // MARK: Many clients

    private static func crowd(_ scale: Scale, _ plan: Plan, _ table: inout Table) throws {
        let single = try ChildProcess(.server)
        let stage = try EdgeStage(edges: plan.edges)
        var crowds = [try Crowd(plan.first, of: single)]
        try stage.admit(plan.first)
        let roles = [
            ("the single server", [single], plan.each), ("the edges", stage.edges, plan.each),
            ("the owner", [stage.owner], plan.each * plan.edges),
        ]
        func uses() -> [Use] { roles.map { Use(of: $0.1) } }

        let (start, kernel) = (uses(), Machine.kernelBytes)
        crowds.append(try Crowd(plan.each - plan.first, of: single))
        try stage.admit(plan.each - plan.first)
        let full = uses()
        let came = Double(plan.each - plan.first)
        let counts = [came, came * Double(plan.edges), came * Double(plan.edges)]
        for (place, role) in roles.enumerated() {
            let growth = full[place] - start[place]
            table.add("a client comes: \(role.0)", growth.time * 1e6 / counts[place], "CPU µs")
            table.add("a client is there: \(role.0)", growth.bytes / counts[place], "bytes")
        }
        let kernelGrowth = Double(Machine.kernelBytes - kernel) / (counts[0] + counts[1])
        table.add("a connection, both ends: the kernel", kernelGrowth, "bytes")

        // What coming has left to be tidied up isn't what being there costs.
        Moment.wait(until: Moment.now + scale.pick(200_000_000, 20_000_000_000))
        let (settled, quiet) = (uses(), scale.pick(1.0, 50.0))
        Moment.wait(until: Moment.now + Int(quiet * 1e9))
        let idle = zip(uses(), settled).map { ($0 - $1).time / quiet }
        let all = [1, plan.edges, plan.edges].map { Double($0 * plan.each) }
        for (place, role) in roles.enumerated() {
            table.add(
                "nothing happens, 1,000 clients: \(role.0)", idle[place] * 1e9 / all[place],
                "CPU µs/s")
        }
        try rounds(scale, plan, single, crowds, stage, idle, &table)
        for (place, use) in uses().enumerated() {
            table.add(
                "a client is there, after all that: \(roles[place].0)",
                (use - start[place]).bytes / counts[place], "bytes")
        }
        let lost = (crowds + stage.crowds).reduce(0) { $0 + $1.lost }
        if lost > 0 { table.note("\(lost) connections were lost.") }
    }

    /// Changes at a rate, in turns at the single server and at the edges.
    ///
    /// - Parameter idle: the processor time that the single server, the edges and the owner take in a
    ///   second in which nothing happens: it isn't counted.
    private static func rounds(
        _ scale: Scale, _ plan: Plan, _ single: ChildProcess, _ crowds: [Crowd],
        _ stage: EdgeStage, _ idle: [Double], _ table: inout Table
    ) throws {
        let changes = 10
        var frames: (single: [Double], edges: [Double], owner: [Double]) = ([], [], [])
        var (delays, edgeDelays): ([Double], [Double]) = ([], [])
        var (missing, bytes) = (0, 0.0)
        for round in 0...scale.runs {
            // They answer no pings, and so don't stay.
            let writer = try PanelWriter(at: single)
            let edgeWriter = try PanelWriter(at: stage.edges[0])
            let before = Use(of: single)
            let outcome = try writer.write(changes, rate: plan.rate, to: crowds)
            let cost = (Use(of: single) - before).time - idle[0] * outcome.seconds
            let (edges, owner) = (Use(of: stage.edges), Use(of: stage.owner))
            let other = try edgeWriter.write(changes, rate: plan.rate, to: stage.crowds)
            let edgeCost = (Use(of: stage.edges) - edges).time - idle[1] * other.seconds
            let ownerCost = (Use(of: stage.owner) - owner).time - idle[2] * other.seconds
            // The first warms up.
            guard round > 0 else { continue }
            frames.single.append(cost * 1e6 / Double(outcome.frames))
            frames.edges.append(edgeCost * 1e6 / Double(other.frames))
            frames.owner.append(ownerCost * 1e6 / Double(changes))
            delays += outcome.delays
            edgeDelays += other.delays
            missing += changes * plan.each * (plan.edges + 1) - outcome.frames - other.frames
            bytes = Double(other.bytes) / Double(other.frames)
        }
        table.add("changes", plan.rate, "a second")
        table.add("a frame's text", bytes, "bytes")
        table.add("a frame: the single server", Measurement(frames.single), "CPU µs")
        table.add("a frame: the edges", Measurement(frames.edges), "CPU µs")
        table.add(
            "… : the single server's",
            Measurement(zip(frames.edges, frames.single).map { $0 / $1 }), "times")
        table.add("a change: the owner", Measurement(frames.owner), "CPU µs")
        add(delays, "the single server", &table)
        add(edgeDelays, "the edges", &table)
        if missing != 0 {
            table.note("\(missing) frames brought what two changes did, or didn't come.")
        }
    }

    private static func add(_ delays: [Double], _ what: String, _ table: inout Table) {
        let sorted = delays.sorted()
        for part in [0.5, 0.99] {
            let place = min(sorted.count - 1, Int(Double(sorted.count) * part))
            table.add(
                "until the last client has a change, \(Int(part * 100)) % of \(sorted.count): \(what)",
                sorted[place], "ms")
        }
    }

    // MARK: Few clients

    /// What one change costs the owner by how many edges have clients, of which it has none itself.
    private static func countEdges(_ scale: Scale, _ table: inout Table) throws {
        let stage = try EdgeStage(edges: 3)
        let changes = scale.pick(200, 5_000)
        for count in 1...stage.edges.count {
            try stage.admit(10, to: count - 1..<count)
            let writer = try PanelWriter(at: stage.edges[0])
            for _ in 0..<(changes / 4) { _ = try writer.change() }
            let costs = try Measurement(runs: scale.runs) {
                let before = Use(of: stage.owner)
                for _ in 0..<changes { _ = try writer.change() }
                return (Use(of: stage.owner) - before).time * 1e6 / Double(changes)
            }
            table.add("a change, 10 clients at each of \(count) edges: the owner", costs, "CPU µs")
        }
    }

    /// What a client is to the owner and to its edge by who it is.
    private static func receive(_ scale: Scale, _ table: inout Table) throws {
        let kinds: [(String, ChildRole, ChildRole)] = [
            ("anonymous", .owner, .edge), ("each of a name", .owner, .namingEdge),
            ("anonymous, the log told who comes", .attendedOwner, .edge),
        ]
        // As many as the log is told of at once.
        let (first, count) = (100, scale.pick(100, 1_800))
        for (kind, ownerRole, edgeRole) in kinds {
            var (owners, edges): ([Use], [Use]) = ([], [])
            for _ in 0..<scale.pick(1, 3) {
                let stage = try EdgeStage(edges: 1, owner: ownerRole, edgeRole: edgeRole)
                let isNamed = edgeRole == .namingEdge
                try stage.admit(first, named: isNamed)
                let (owner, edge) = (Use(of: stage.owner), Use(of: stage.edges))
                try stage.admit(count, named: isNamed)
                owners.append(Use(of: stage.owner) - owner)
                edges.append(Use(of: stage.edges) - edge)
            }
            for (role, uses) in [("the owner", owners), ("the edge", edges)] {
                let times = Measurement(uses.map { $0.time * 1e6 / Double(count) })
                table.add("\(kind), a client comes: \(role)", times, "CPU µs")
                let sizes = Measurement(uses.map { $0.bytes / Double(count) })
                table.add("\(kind), a client is there: \(role)", sizes, "bytes")
            }
        }
    }

    // MARK: The owner is started again

    /// The owner is killed and started again while one edge has clients, and while all have.
    private static func restart(_ scale: Scale, _ plan: Plan, _ table: inout Table) throws {
        let directory = try TemporaryDirectory()
        let journal = ServedJournal(file: directory.file("edges"))
        let stage = try EdgeStage(edges: plan.edges, journal)
        try stage.admit(plan.each, to: 0..<1)
        // What is to be kept.
        _ = try PanelWriter(at: stage.owner).change()
        try restart(stage, scale.pick(1, 3), journal, &table)
        guard plan.edges > 1 else { return }
        try stage.admit(plan.each, to: 1..<plan.edges)
        try restart(stage, scale.pick(1, 3), journal, &table)
    }

    private static func restart(
        _ stage: EdgeStage, _ times: Int, _ journal: ServedJournal, _ table: inout Table
    ) throws {
        let clients = stage.crowds.reduce(0) { $0 + $1.count }
        var (delays, owners, edges): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<times {
            let before = Use(of: stage.edges)
            try stage.restartOwner(journal)
            let start = Moment.now
            let version = try PanelWriter(at: stage.owner).change()
            try PanelWriter.wait(for: version, at: stage.crowds)
            owners.append(Use(of: stage.owner).time * 1e6 / Double(clients))
            edges.append((Use(of: stage.edges) - before).time * 1e6 / Double(clients))
            for crowd in stage.crowds { try crowd.look() }
            let lost = stage.crowds.reduce(0) { $0 + $1.lost }
            guard lost == 0 else {
                table.note(
                    "The owner of \(clients) clients took longer to know them again than edges wait: "
                        + "\(lost) would have had to connect again.")
                break
            }
            let last = stage.crowds.compactMap { $0.time(of: version) }.max() ?? start
            delays.append(Double(last - start) / 1e9)
        }
        let what =
            "the owner of \(Figure.text(Double(clients))) clients is killed, and started again"
        if !delays.isEmpty {
            table.add("\(what): the last has the next change", Measurement(delays), "s")
        }
        table.add("\(what): the owner, for a client", Measurement(owners), "CPU µs")
        table.add("… the edges, for a client", Measurement(edges), "CPU µs")
    }
}
