import StorecastRoom
import StorecastSync
import StorecastWire

/// The reference model of a room, built from its durable log alone, with which the checks compare
/// the real room and its clients.
protocol RoomModel: AnyObject {
    /// The end of the log.
    var position: Position { get }
    /// Begins another history with the oldest `count` records of the one before
    /// and these terms, each with the number of records before it.
    func begin(_ epoch: String, keeping count: Int, _ terms: [(id: String, records: Int)])
    /// The records that follow are of another term.
    func begin(term: String)
    /// Applies the log's next record; returns the name of a rule that a state violates, or nil.
    func take(_ record: JournalRecord) -> String?
    /// The participants present according to the log; nil if the room doesn't record presence.
    var present: Set<String>? { get }
    /// How many histories there were.
    var histories: Int { get }
    /// The version to which the log of a history came, also if its last entries were lost since.
    func lastVersion(in history: Int) -> UInt64
    /// The newest history that a position is in; nil if it is in none. If the log has terms, the
    /// term decides, else the epoch.
    func history(of position: Position, in term: String?) -> Int?
    /// The outcome of a dispatch in the log of an epoch; nil if it isn't there.
    func outcome(of client: String, _ seq: UInt64, in history: Int) -> ModelOutcome?
    /// Whether the room has ever forgotten outcomes of this client.
    func wasForgotten(_ client: String, in history: Int) -> Bool
    /// The value of a selection at a version; nil if there is no such version or selection.
    func value(
        of topic: Topic, for viewer: Identity, at version: UInt64, in history: Int
    ) -> JSON?
    /// Whether the viewer may have the selection, as the state is now.
    func admits(_ viewer: Identity, to topic: Topic) -> Bool
    /// Whether one of the viewers might ever not have the selection.
    func refuses(_ viewers: [Identity], _ topic: Topic) -> Bool
    /// Whether one of the viewers might have the selection while it had this value.
    func mayShow(_ value: JSON, of topic: Topic, to viewers: [Identity], in history: Int) -> Bool
    /// The room was opened again: later questions are about the new instance.
    func roomOpened()
    /// How the room's state differs from the model's, or nil.
    func problem(of room: any AnyRoom) -> String?
    /// What the room keeps beyond its limits, or nil.
    func excess(of room: any AnyRoom, at time: Duration) -> String?
}

/// The outcome of a dispatch, according to the log.
enum ModelOutcome {
    /// Reduced; it led to this version.
    case reduced(UInt64)
    case rejected(Rejection)

    var isReduced: Bool {
        if case .reduced = self { true } else { false }
    }
}

/// A rule of a simulated room, which must hold for every state.
struct RoomRule<State>: Sendable {
    let name: String
    let holds: @Sendable (State) -> Bool
}

/// The value of a selection for parameters and a viewer, found without what is tested.
typealias Oracle<State> = @Sendable (State, JSON?, Identity) -> JSON

/// A selection with its parameters.
final class Topic {
    let number: Int
    let selection: String
    let parameters: JSON?

    init(number: Int, selection: String, parameters: JSON?) {
        self.number = number
        self.selection = selection
        self.parameters = parameters
    }

    var name: String {
        parameters.map { "'\(selection)' of \($0)" } ?? "'\(selection)'"
    }
}

/// Runs an `encode(to:)` of the simulated room; the simulation can't go on if it throws.
func encoded<Value>(_ body: () throws -> Value) -> Value {
    do {
        return try body()
    } catch {
        preconditionFailure("A simulated room's value can't be encoded: \(error)")
    }
}

/// Runs an `init(from:)` of the simulated room on what its own `encode(to:)` wrote.
func decoded<Value>(_ body: () throws -> Value) -> Value {
    do {
        return try body()
    } catch {
        preconditionFailure("A simulated room's value can't be decoded: \(error)")
    }
}
