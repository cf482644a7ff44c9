import StorecastRoom
import StorecastWire

/// The state of the devtools' room: answers to what its clients select.
struct DevtoolsState: Codable, Sendable {
    var answers: [DevtoolsQuestion: JSON] = [:]
    /// The newest at the end.
    var dispatches: [DevtoolsOutcome] = []

    static let keptDispatches = 50
}

/// The server dispatches the answers that it has now.
struct AnswerQuestions: ServerAction {
    /// Null for a question that nobody asks any more.
    var answers: [DevtoolsQuestion: JSON]
}

extension DevtoolsState {
    static let path = "/devtools"

    static let room = RoomDefinition(
        state: DevtoolsState(),
        actions: [
            ForwardAction.self, KickAction.self, RevokeAction.self, ReloadAction.self,
            OpenAction.self, ImportAction.self, AnswerQuestions.self, DevtoolsActionEnded.self,
        ],
        selections: selections, reducer: reduce
    )
    .validate(ForwardAction.self) { _, action, _ in try check(action) }
    .validate(RevokeAction.self) { _, action, _ in
        try check(action)
        guard !action.identity.isEmpty else {
            throw Rejection(.invalid, "Whoever is anonymous can't be told apart: name an identity.")
        }
    }
    .validate(ReloadAction.self) { _, action, _ in try check(action) }
    .validate(OpenAction.self) { _, action, _ in try check(action) }
    .validate(ImportAction.self) { _, action, _ in
        try check(action)
        guard action.text.utf8.count <= ImportAction.mostBytes else {
            throw Rejection(
                .invalid, "A piece of a log has at most \(ImportAction.mostBytes >> 10) KiB.")
        }
    }
    .validate(KickAction.self) { _, action, _ in
        try check(action)
        guard (action.connection == nil) != (action.identity?.isEmpty ?? true) else {
            throw Rejection(.invalid, "Name either a connection or an identity.")
        }
    }

    private static func check(_ action: any DevtoolsAction) throws(Rejection) {
        guard action.texts.allSatisfy({ $0.utf8.count <= 1024 }) else {
            throw Rejection(.invalid, "Texts have at most 1024 bytes each.")
        }
    }

    private static let selections: [any SelectionProtocol<DevtoolsState>] = [
        Selection("rooms") { (state: DevtoolsState) in state.answer(.rooms) },
        Selection("dispatches") { (state: DevtoolsState) in state.dispatches },
        Selection("revocations") { (state: DevtoolsState) in state.answer(.revocations) },
        Selection("cluster") { (state: DevtoolsState) in state.answer(.cluster) },
        selection("connections") { .connections($0) },
        selection("graphs") { .graphs($0) }, selection("room") { .room($0) },
        selection("log") { .log($0) }, selection("entry") { .entry($0) },
        selection("state") { .state($0) }, selection("stateAt") { .stateAt($0) },
        selection("history") { .history($0) }, selection("lines") { .lines($0) },
        selection("change") { .change($0) }, selection("first") { .first($0) },
        selection("outcomes") { .outcomes($0) },
        selection("actions") { .actions($0) }, selection("turns") { .turns($0) },
        selection("importedAt") { .importedAt($0) },
        selection("importedChange") { .importedChange($0) },
        selection("importedFirst") { .importedFirst($0) },
        selection("importedOutcomes") { .importedOutcomes($0) },
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

    /// In place of an answer about a version that is still to come.
    static let notReached = problem("The room hasn't come to this version.")

    /// Null while it isn't known.
    private func answer(_ question: DevtoolsQuestion) -> JSON { answers[question] ?? .null }

    @Sendable
    private static func reduce(_ state: inout DevtoolsState, _ action: any Action) {
        switch action {
        case let action as AnswerQuestions:
            for (question, answer) in action.answers {
                state.answers[question] = answer.isNull ? nil : answer
            }
        case let action as any DevtoolsAction:
            state.dispatches.append(DevtoolsOutcome(action))
            state.dispatches.removeFirst(max(0, state.dispatches.count - keptDispatches))
        case let action as DevtoolsActionEnded:
            guard let index = state.dispatches.firstIndex(where: { $0.id == action.id })
            else { return }
            state.dispatches[index].take(action)
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
        case "revocations": self = .revocations
        case "cluster": self = .cluster
        case "connections": self.init(parameters) { .connections($0) }
        case "graphs": self.init(parameters) { .graphs($0) }
        case "room": self.init(parameters) { .room($0) }
        case "log": self.init(parameters) { .log($0) }
        case "entry": self.init(parameters) { .entry($0) }
        case "state": self.init(parameters) { .state($0) }
        case "stateAt": self.init(parameters) { .stateAt($0) }
        case "history": self.init(parameters) { .history($0) }
        case "lines": self.init(parameters) { .lines($0) }
        case "change": self.init(parameters) { .change($0) }
        case "first": self.init(parameters) { .first($0) }
        case "outcomes": self.init(parameters) { .outcomes($0) }
        case "actions": self.init(parameters) { .actions($0) }
        case "turns": self.init(parameters) { .turns($0) }
        case "importedAt": self.init(parameters) { .importedAt($0) }
        case "importedChange": self.init(parameters) { .importedChange($0) }
        case "importedFirst": self.init(parameters) { .importedFirst($0) }
        case "importedOutcomes": self.init(parameters) { .importedOutcomes($0) }
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
