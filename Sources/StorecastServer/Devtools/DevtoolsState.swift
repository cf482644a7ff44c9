import StorecastRoom
import StorecastWire

/// What the devtools' room knows: answers to what its clients ask, by selecting it.
struct DevtoolsState: Codable, Sendable {
    var answers: [DevtoolsQuestion: JSON] = [:]
    /// The newest at the end.
    var dispatches: [ForwardedDispatch] = []

    static let keptDispatches = 50
}

/// What became of an action that was dispatched from the devtools.
struct ForwardedDispatch: Codable, Equatable, Sendable {
    /// The stamp's id of the ``ForwardAction``.
    var id: String
    /// What its sender calls it.
    var ticket: String
    var room: String
    var type: String
    /// The version that it led to; nil while it has no outcome, or if it was rejected.
    var version: UInt64?
    var problem: String?
}

/// Dispatches an action into a room.
struct ForwardAction: Stamped {
    static let wireName = "dispatch"

    /// By which its sender finds the outcome.
    var ticket: String
    var room: String
    var type: String
    var payload: JSON?
    var stamp = Stamp()
}

/// The server says what is known now.
struct AnswerQuestions: ServerAction {
    /// Null if nobody asks any more.
    var answers: [DevtoolsQuestion: JSON]
}

/// The server says what became of a ``ForwardAction``.
struct ForwardEnded: ServerAction {
    var id: String
    var version: UInt64?
    var problem: String?
}

extension DevtoolsState {
    static let path = "/devtools"

    static let room = RoomDefinition(
        state: DevtoolsState(),
        actions: [ForwardAction.self, AnswerQuestions.self, ForwardEnded.self],
        selections: selections, reducer: reduce
    ).validate(ForwardAction.self) { _, action, _ in
        let longest = [action.ticket, action.room, action.type].map(\.utf8.count).max() ?? 0
        guard longest <= 1024 else {
            throw Rejection(.invalid, "Ticket, room and type have at most 1024 bytes each.")
        }
    }

    private static let selections: [any SelectionProtocol<DevtoolsState>] = [
        Selection("rooms") { (state: DevtoolsState) in state.answer(.rooms) },
        Selection("dispatches") { (state: DevtoolsState) in state.dispatches },
        selection("graphs") { .graphs($0) }, selection("room") { .room($0) },
        selection("log") { .log($0) }, selection("entry") { .entry($0) },
        selection("state") { .state($0) }, selection("stateAt") { .stateAt($0) },
        selection("history") { .history($0) }, selection("lines") { .lines($0) },
    ]

    private static func selection<Place: Codable & Hashable & Sendable>(
        _ name: String, _ question: @escaping @Sendable (Place) -> DevtoolsQuestion
    ) -> Selection<DevtoolsState, Place, JSON> {
        Selection(name) { (state: DevtoolsState, place: Place) in state.answer(question(place)) }
    }

    /// Null while it isn't known.
    private func answer(_ question: DevtoolsQuestion) -> JSON { answers[question] ?? .null }

    @Sendable
    private static func reduce(_ state: inout DevtoolsState, _ action: any Action) {
        switch action {
        case let action as AnswerQuestions:
            for (question, answer) in action.answers {
                state.answers[question] = answer.isNull ? nil : answer
            }
        case let action as ForwardAction:
            state.dispatches.append(
                ForwardedDispatch(
                    id: action.stamp.id, ticket: action.ticket, room: action.room,
                    type: action.type))
            state.dispatches.removeFirst(max(0, state.dispatches.count - keptDispatches))
        case let action as ForwardEnded:
            guard let place = state.dispatches.firstIndex(where: { $0.id == action.id })
            else { return }
            state.dispatches[place].version = action.version
            state.dispatches[place].problem = action.problem
        default: break
        }
    }
}

extension DevtoolsQuestion {
    /// What a selection of the devtools' room asks; nil if it asks nobody.
    init?(_ key: GroupKey) {
        let place = key.parameters.base
        switch key.selection {
        case "rooms": self = .rooms
        case "graphs": self.init(place) { .graphs($0) }
        case "room": self.init(place) { .room($0) }
        case "log": self.init(place) { .log($0) }
        case "entry": self.init(place) { .entry($0) }
        case "state": self.init(place) { .state($0) }
        case "stateAt": self.init(place) { .stateAt($0) }
        case "history": self.init(place) { .history($0) }
        case "lines": self.init(place) { .lines($0) }
        default: return nil
        }
    }

    private init?<Place>(_ place: Any, _ question: (Place) -> DevtoolsQuestion) {
        guard let place = place as? Place else { return nil }
        self = question(place)
    }
}
