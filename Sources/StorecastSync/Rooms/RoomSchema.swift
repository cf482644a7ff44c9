import StorecastWire

/// The version of a room's schema, and how what earlier ones wrote is brought up to it.
struct RoomSchema: Sendable {
    typealias ActionUpcaster = @Sendable (inout ArchivedAction) throws -> Void
    typealias StateUpcaster = @Sendable (inout JSON) throws -> Void

    private(set) var version = 1
    private var actions: [Int: [ExactString: ActionUpcaster]] = [:]
    private var states: [Int: StateUpcaster] = [:]
    /// Names of actions that reduce nothing any more.
    var retired: Set<ExactString> = []

    mutating func raise(to version: Int) {
        precondition(version > 0, "A schema's version is above 0; it is \(version).")
        self.version = max(self.version, version)
    }

    mutating func add(_ upcaster: @escaping ActionUpcaster, for action: String, of version: Int) {
        raise(to: version + 1)
        let known = actions[version, default: [:]].updateValue(
            upcaster, forKey: ExactString(action))
        precondition(known == nil, "'\(action)' of schema \(version) has two upcasters.")
    }

    mutating func add(_ upcaster: @escaping StateUpcaster, forStateOf version: Int) {
        raise(to: version + 1)
        let known = states.updateValue(upcaster, forKey: version)
        precondition(known == nil, "The state of schema \(version) has two upcasters.")
    }

    /// The action as it would be written now; nil if its type is retired.
    ///
    /// Throws what an upcaster throws, and ``SchemaError``.
    func current(
        _ recorded: JournalRecord.RecordedAction, of schema: Int
    ) throws -> JournalRecord.RecordedAction? {
        guard schema <= version else { throw SchemaError(found: schema, known: version) }
        if schema == version {
            return retired.contains(ExactString(recorded.type)) ? nil : recorded
        }
        let document = try JSONDocument(recorded.payload, limits: .trusted)
        var action = ArchivedAction(type: recorded.type, payload: document.root.json)
        for step in schema..<version {
            try actions[step]?[ExactString(action.type)]?(&action)
        }
        guard !retired.contains(ExactString(action.type)) else { return nil }
        return JournalRecord.RecordedAction(type: action.type, payload: action.payload.bytes)
    }

    /// The state as it would be written now. Throws as for an action.
    func current(state: JSON, of schema: Int) throws -> JSON {
        guard schema <= version else { throw SchemaError(found: schema, known: version) }
        var state = state
        for step in schema..<version { try states[step]?(&state) }
        return state
    }
}

/// Something was written by a later version of the application.
struct SchemaError: Error, CustomStringConvertible {
    let found: Int
    let known: Int

    var description: String {
        "It has schema \(found), and this server knows schemas up to \(known): "
            + "run the version of the application that wrote it, or a later one."
    }
}
