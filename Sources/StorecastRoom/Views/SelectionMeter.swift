package import StorecastWire

/// How a selection is kept up to date.
package enum SelectionWay: String, Sendable {
    /// Its closure is run after each turn, whatever that changed.
    case closure
    /// Its closure is run after turns that change what it says that it reads.
    case declaredReads = "declared reads"
    /// A row, found by its key.
    case keyed
    /// Pages and aggregates of rows, found by indices.
    case rows
    /// Values of a JSON document, found by their paths.
    case path
}

/// What the selections of one name have cost since the room was opened, whatever their parameters
/// and viewers.
package final class SelectionMeter {
    /// How often one of them was asked for its value after a turn.
    @exclusivity(unchecked) fileprivate(set) var evaluations = 0
    /// How often it had another then.
    @exclusivity(unchecked) fileprivate(set) var changes = 0
    /// What the messages take that were made of values and their changes, each once, however many
    /// clients got it.
    @exclusivity(unchecked) fileprivate(set) var bytes = 0
    /// Of evaluations that were timed.
    fileprivate var timed = 0
    fileprivate var time = Duration.zero

    package init() {}

    func evaluated(_ times: Int) { evaluations &+= times }
    func changed() { changes &+= 1 }
    func encoded(_ size: Int) { bytes &+= size }
}

/// Times one turn of sixteen, as reading the clock takes longer than many a selection.
struct SelectionTimer {
    static let interval = 16

    /// What the timed turns took.
    private(set) var total = Duration.zero
    private var turns = 0
    private var start: Duration?
    private var last = Duration.zero

    mutating func begin(at now: @autoclosure () -> Duration) {
        start = turns % Self.interval == 0 ? now() : nil
        turns &+= 1
        if let start { last = start }
    }

    /// What comes now is a selection; what came before isn't.
    mutating func skip(to now: @autoclosure () -> Duration) {
        if start != nil { last = now() }
    }

    /// The evaluations since the last call were of these selections.
    mutating func note(
        _ evaluations: Int, of meter: SelectionMeter, at now: @autoclosure () -> Duration
    ) {
        guard start != nil else { return }
        let now = now()
        meter.timed &+= evaluations
        meter.time += now - last
        last = now
    }

    mutating func end(at now: @autoclosure () -> Duration) {
        guard let start else { return }
        total += now() - start
    }
}

/// What the selections of one name cost.
package struct SelectionCost: Sendable {
    package let name: ExactString
    package let way: SelectionWay
    /// How many different parameters and viewers are in use.
    package let groups: Int
    package let evaluations: Int
    package let changes: Int
    package let bytes: Int
    /// About how long an evaluation takes; zero if none was timed.
    package let mean: Duration
    /// About how much of the time that all selections of the room took, from 0 to 1.
    package let share: Double

    init(
        _ name: ExactString, _ way: SelectionWay, groups: Int, _ meter: SelectionMeter,
        of total: Duration
    ) {
        (self.name, self.way, self.groups) = (name, way, groups)
        (evaluations, changes, bytes) = (meter.evaluations, meter.changes, meter.bytes)
        mean = meter.timed == 0 ? .zero : meter.time / meter.timed
        share = total == .zero ? 0 : meter.time / total
    }
}
