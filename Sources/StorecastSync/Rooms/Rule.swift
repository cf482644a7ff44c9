import StorecastWire

/// Who may dispatch an action, have a selection, or enter a room.
///
/// ```swift
/// let room = Board.room
///     .allow(MoveCard.self, .roles("editor", "owner"))
///     .allow(Board.summary, .open)
///     .allow(Board.column) { board, id, viewer in board[column: id].isVisible(to: viewer) }
///     .allowAll(.signedIn)
/// ```
/// `Subject` is what is asked for: the action, or the selection's parameters.
public struct Rule<State, Subject>: Sendable {
    /// Whether it looks at the state, and so has to be asked again when that changes.
    package let readsState: Bool
    private let check: @Sendable (State?, Subject, Identity) throws -> Void

    private init(
        readsState: Bool, _ check: @escaping @Sendable (State?, Subject, Identity) throws -> Void
    ) {
        self.readsState = readsState
        self.check = check
    }

    /// Everybody, anonymous people too.
    public static var open: Rule { Rule(readsState: false) { _, _, _ in } }

    /// Everybody who isn't anonymous.
    public static var signedIn: Rule {
        Rule(readsState: false) { _, _, identity in
            guard !identity.id.isEmpty else {
                throw Rejection(.forbidden, "Only who has signed in may do this.")
            }
        }
    }

    /// Everybody who has at least one of these roles, byte by byte.
    public static func roles(_ roles: String...) -> Rule {
        Rule(readsState: false) { _, _, identity in
            let isOne = roles.contains { role in
                identity.roles.contains { $0.isSameText(as: role) }
            }
            guard isOne else {
                throw Rejection(
                    .forbidden, "Only some roles may do this.",
                    detail: "One of \(roles.joined(separator: ", ")).")
            }
        }
    }

    /// Nobody but the server's own code.
    public static var serverOnly: Rule {
        Rule(readsState: false) { _, _, _ in
            throw Rejection(.forbidden, "Only the server may do this.")
        }
    }

    /// Everybody for whom a function returns true. For a selection it is asked again only when the
    /// client shows a newer token.
    public static func when(
        _ allows: @escaping @Sendable (Subject, Identity) -> Bool
    ) -> Rule {
        Rule(readsState: false) { _, subject, identity in
            guard allows(subject, identity) else { throw Self.refusal }
        }
    }

    /// Whom a function lets that looks at the state, as `allow`
    /// and the others say.
    public static func when(
        _ allows: @escaping @Sendable (State, Subject, Identity) -> Bool
    ) -> Rule {
        Rule(readsState: true) { state, subject, identity in
            guard let state, allows(state, subject, identity) else { throw Self.refusal }
        }
    }

    /// Whom a function lets by not throwing.
    package static func checked(_ check: @escaping @Sendable (Subject, Identity) throws -> Void)
        -> Rule
    {
        Rule(readsState: false) { _, subject, identity in try check(subject, identity) }
    }

    /// What is refused because no rule is about it.
    static func missing(for name: String) -> Rule {
        Rule(readsState: false) { _, _, _ in throw NoRule(name: name) }
    }

    private static var refusal: Rejection { Rejection(.forbidden, "You may not do this.") }

    /// The same rule for what is known to be a `Subject` only when it comes.
    func erased<Other>(
        _ subject: @escaping @Sendable (Other) throws -> Subject
    ) -> Rule<State, Other> {
        Rule<State, Other>(readsState: readsState) { [check] state, other, identity in
            try check(state, try subject(other), identity)
        }
    }

    /// Throws unless the identity may have the subject in this state.
    fileprivate func ask(_ state: State?, _ subject: Subject, _ identity: Identity) throws {
        try check(state, subject, identity)
    }
}

/// No rule of a room is about an action or a selection that somebody has asked for.
package struct NoRule: Error {
    /// The name of the action or the selection.
    package let name: String

    /// What the client is told.
    package var rejection: Rejection {
        Rejection(
            .forbidden, "Nobody may do this.", detail: "The room has no rule for '\(name)'.")
    }
}

/// What a rule has let somebody have: nothing makes one without asking the rule.
///
/// What sends the values of selections takes it, so that a value that no rule allowed can't be
/// encoded to a session.
package struct Permitted<Value> {
    package let value: Value

    /// Asks the rule; throws if it doesn't let the identity have the subject. Else what `make`
    /// makes is permitted.
    package init<State, Subject>(
        to identity: Identity, by rule: Rule<State, Subject>, _ subject: Subject,
        in state: State?, _ make: () throws -> Value
    ) throws {
        try rule.ask(state, subject, identity)
        value = try make()
    }

    /// What another server has let somebody have, which owns the room and has asked its rules.
    package init(byOwner value: Value) { self.value = value }
}

/// Asks to enter a room: the subject of rules for that.
public struct RoomEntry: Sendable {
    package init() {}
}

extension RoomDefinition {
    /// Lets those dispatch an action whom the rule lets; a later rule for the same replaces it.
    ///
    /// It is asked when the action is received, before the journal. One that looks at the state
    /// sees it as it is then, without what isn't reduced yet: others' actions, and the sender's own
    /// that came just before, as after being offline. What has to hold in the order of the journal,
    /// such as that only its author removes a thing, is for ``validate(_:_:)``. A rule isn't
    /// replayed, so it may depend on anything.
    ///
    /// On a server that authenticates, what no rule is about is refused (`forbidden`), and its log
    /// says so once. A server without authentication is open for what no rule is about. A rule for
    /// an action that the room doesn't list is a programming error.
    public func allow<A: SyncAction>(_ type: A.Type, _ rule: Rule<State, A>) -> Self {
        expectListed(type)
        var room = self
        // Found by its type: no other action comes here, and none may go without its rule.
        room.actionRules[ObjectIdentifier(type)] = rule.erased { $0 as! A }
        return room
    }

    /// Lets those dispatch an action whom a function lets that looks at the state, as it is when the
    /// action is received: the sender's own actions of a moment before may not be reduced yet.
    ///
    /// Others are told `You may not do this.`; to say why, and to ask in the order of the journal,
    /// there is ``validate(_:_:)``.
    public func allow<A: SyncAction>(
        _ type: A.Type, _ allows: @escaping @Sendable (State, A, Identity) -> Bool
    ) -> Self {
        allow(type, .when(allows))
    }

    /// Lets those have a selection whom the rule lets; a later rule for the same replaces it.
    ///
    /// It is asked at subscribe, and after a new token. One that looks at the state is asked again,
    /// for each subscription, whenever that has changed, before the selection's new value is sent:
    /// who may not have it any more is told `lapse` with `forbidden`.
    public func allow<S: SelectionProtocol>(
        _ selection: S, _ rule: Rule<State, S.Parameters>
    ) -> Self where S.State == State {
        var room = self
        room.selectionRules[ExactString(selection.name)] = rule.erased { parameters in
            guard let parameters = parameters.base as? S.Parameters else {
                throw Rejection(.internal, "The selection's rule has other parameters.")
            }
            return parameters
        }
        return room
    }

    /// Lets those have a selection whom a function lets that looks at the state.
    public func allow<S: SelectionProtocol>(
        _ selection: S, _ allows: @escaping @Sendable (State, S.Parameters, Identity) -> Bool
    ) -> Self where S.State == State {
        allow(selection, .when(allows))
    }

    /// Lets those enter the room whom the rule lets; without one, everybody may. Who may not is told
    /// `bye` with `forbidden`, and isn't among those who are present. One that looks at the state is
    /// asked again when that has changed.
    public func allowEntry(_ rule: Rule<State, RoomEntry>) -> Self {
        var room = self
        room.entryRule = rule
        return room
    }

    /// The rule for all actions and selections that have none of their own, ``RevertTo`` excepted.
    public func allowAll(_ rule: Rule<State, Any>) -> Self {
        var room = self
        room.generalRules = (rule.erased { $0 }, rule.erased { $0.base })
        return room
    }

    /// Lets those dispatch an action for whom `check` doesn't throw; a thrown ``Rejection`` is the
    /// outcome. A rule as those of `allow` are.
    public func authorize<A: SyncAction>(
        _ type: A.Type, _ check: @escaping @Sendable (A, Identity) throws -> Void
    ) -> Self {
        allow(type, .checked(check))
    }

    /// Lets those have a selection for whom `check` doesn't throw. A rule as those of
    /// `allow` are.
    public func authorize<Parameters, Value>(
        _ selection: Selection<State, Parameters, Value>,
        _ check: @escaping @Sendable (Parameters, Identity) throws -> Void
    ) -> Self {
        allow(selection, .checked(check))
    }

    /// Looks at an action when it is received, whoever sends it: this is no rule.
    package func inspect<A: SyncAction>(
        _ type: A.Type, _ check: @escaping @Sendable (A) throws -> Void
    ) -> Self {
        var room = self
        // Found by its type, as the rules are.
        room.inspections[ObjectIdentifier(type)] = { action in try check(action as! A) }
        return room
    }
}

extension RoomDefinition {
    /// Has the log take something narrower than what a client dispatches and its rule lets through.
    ///
    /// For what a rule can't know before the order of the log does: the function notes in the
    /// action how far the sender's rights go, and ``validate(_:_:)`` looks at that.
    package func narrow<A: SyncAction>(
        _ type: A.Type, _ narrowed: @escaping @Sendable (A, Identity) -> A
    ) -> Self {
        var room = self
        room.narrowings[ObjectIdentifier(type)] = { action, sender in
            // Found by its type, as the rules are.
            narrowed(action as! A, sender)
        }
        return room
    }

    /// Whether the log may have something else of some actions.
    package var narrows: Bool { !narrowings.isEmpty }

    /// What the log is to have of an action that was checked.
    package func narrowed(_ action: any SyncAction, from sender: Identity) -> any SyncAction {
        narrowings[ObjectIdentifier(type(of: action))]?(action, sender) ?? action
    }
}

extension RoomDefinition {
    /// Whether a rule for selections looks at the state.
    package var selectionRulesReadState: Bool {
        generalRules?.selection.readsState == true
            || selectionRules.values.contains(where: \.readsState)
    }

    /// Whether there are any rules.
    package var hasRules: Bool {
        generalRules != nil || !actionRules.isEmpty || !selectionRules.isEmpty
    }

    /// The rule for an action.
    ///
    /// - Parameter isClosed: whether what no rule is about is refused.
    package func rule(
        for action: any SyncAction, isClosed: Bool
    ) -> Rule<State, any SyncAction> {
        let type = type(of: action)
        if let rule = actionRules[ObjectIdentifier(type)] { return rule }
        // A rule for everything else doesn't mean the past.
        if type == RevertTo<State>.self { return .serverOnly }
        return generalRules?.action ?? (isClosed ? .missing(for: type.wireName) : .open)
    }

    /// The rule for the selection of a name, whose subjects are parameters.
    package func rule(for selection: ExactString, isClosed: Bool) -> Rule<State, AnyHashable> {
        selectionRules[selection] ?? generalRules?.selection
            ?? (isClosed ? .missing(for: selection.string) : .open)
    }

    /// Throws unless the sender may dispatch the action, as the state is.
    package func check(
        _ action: any SyncAction, from sender: Identity, in state: State?, isClosed: Bool
    ) throws {
        // What comes most, on servers without rules.
        if !hasRules, !isClosed, inspections.isEmpty, restore == nil { return }
        try inspections[ObjectIdentifier(type(of: action))]?(action)
        let rule = rule(for: action, isClosed: isClosed)
        _ = try Permitted(to: sender, by: rule, action, in: state) { action }
    }
}
