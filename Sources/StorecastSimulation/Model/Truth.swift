import StorecastSync
import StorecastWire

/// What a room's durable log says, for the checks to compare with.
protocol Truth: AnyObject {
    /// The log's end now.
    var position: Position { get }
    /// Another history begins with the oldest `count` records of the one before.
    func begin(_ epoch: String, keeping count: Int)
    /// The log has grown; the name of a rule that a state doesn't fulfil, or nil.
    func take(_ record: JournalRecord) -> String?
    /// The public ids of the clients that are in the room by its log; nil if it doesn't follow
    /// them.
    var present: Set<String>? { get }
    /// Which of the histories has this epoch.
    func history(_ epoch: String) -> Int?
    func epoch(of history: Int) -> String
    /// How a dispatch ended by the log of an epoch; nil if it isn't in it.
    func outcome(of client: String, _ seq: UInt64, in history: Int) -> TrueOutcome?
    /// Whether what was settled of the client was forgotten at any time.
    func wasForgotten(_ client: String, in history: Int) -> Bool
    /// What a selection was at a version; nil if there is no such version or selection.
    func value(
        of topic: Topic, for viewer: Identity, at version: UInt64, in history: Int
    ) -> JSON?
    /// Whether the viewer may have the selection.
    func admits(_ viewer: Identity, to topic: Topic) -> Bool
    /// From now on it is asked about another room.
    func roomOpened()
    /// What is wrong with the room, or nil.
    func problem(of room: any AnyRoom) -> String?
    /// What the room holds at this time that it shouldn't, or nil.
    func excess(of room: any AnyRoom, at time: Duration) -> String?
}

/// How a dispatch ended.
enum TrueOutcome {
    /// Reduced; it led to this version.
    case reduced(UInt64)
    case rejected(Rejection)

    var isReduced: Bool {
        if case .reduced = self { true } else { false }
    }
}

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
