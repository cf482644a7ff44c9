import StorecastRoom
import StorecastWire

/// The state of the devtools' room: answers to what its clients select.
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

/// The server dispatches the answers that it has now.
struct AnswerQuestions: ServerAction {
    /// Null for a question that nobody asks any more.
    var answers: [DevtoolsQuestion: JSON]
}

/// The server dispatches what became of a ``ForwardAction``.
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

    private static func selection<Parameters: Codable & Hashable & Sendable>(
        _ name: String, _ question: @escaping @Sendable (Parameters) -> DevtoolsQuestion
    ) -> Selection<DevtoolsState, Parameters, JSON> {
        Selection(name) { (state: DevtoolsState, parameters: Parameters) in
            state.answer(question(parameters))
        }
    }

    /// In place of an answer if there is none.
    static func problem(_ text: String) -> JSON { ["problem": .string(text)] }

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
            guard let index = state.dispatches.firstIndex(where: { $0.id == action.id })
            else { return }
            state.dispatches[index].version = action.version
            state.dispatches[index].problem = action.problem
        default: break
        }
    }
}

extension DevtoolsQuestion {
    /// What a selection of the devtools' room asks; nil for `dispatches`, which asks nothing.
    init?(_ key: GroupKey) {
        let parameters = key.parameters.base
        switch key.selection {
        case "rooms": self = .rooms
        case "graphs": self.init(parameters) { .graphs($0) }
        case "room": self.init(parameters) { .room($0) }
        case "log": self.init(parameters) { .log($0) }
        case "entry": self.init(parameters) { .entry($0) }
        case "state": self.init(parameters) { .state($0) }
        case "stateAt": self.init(parameters) { .stateAt($0) }
        case "history": self.init(parameters) { .history($0) }
        case "lines": self.init(parameters) { .lines($0) }
        default: return nil
        }
    }

    private init?<Parameters>(
        _ parameters: Any, _ question: (Parameters) -> DevtoolsQuestion
    ) {
        guard let parameters = parameters as? Parameters else { return nil }
        self = question(parameters)
    }
}
