import StorecastSync
import StorecastWire

extension RoomDefinition {
    /// The action that a journal kept, written with schema `schema`; nil if its type is retired.
    ///
    /// Throws a ``Rejection`` if the room has no such type or can't read the payload, and what an
    /// upcaster throws.
    func action(
        _ recorded: JournalAction, of schema: Int
    ) throws -> (any SyncAction)? {
        if recorded.type == RevertTo<State>.wireName, restore != nil {
            return try revert(recorded, of: schema)
        }
        guard let current = try self.schema.current(recorded, of: schema) else { return nil }
        return try actions.action(recorded: current.type, current.payload)
    }

    /// A revert, whose state is brought up to date as that of a snapshot is.
    private func revert(
        _ recorded: JournalAction, of schema: Int
    ) throws -> RevertTo<State> {
        let payload = try JSONDocument(recorded.payload, limits: .trusted).root
        var revert = RevertTo<State>(version: payload["version"]?.uint64 ?? 0)
        revert.state = try payload["state"].map { try state(from: $0, schema: schema) }
        return revert
    }
}

extension RoomDefinition {
    /// The state that was written with schema `schema`.
    ///
    /// Members that the state has gained since are what they are in a new room's state, unless they
    /// lie inside an array: for those see ``Evolving``.
    func state(from view: JSONView, schema: Int) throws -> State {
        if schema == self.schema.version {
            do {
                return try JSONCoding.decode(State.self, from: view)
            } catch DecodingError.keyNotFound {
                return try completedState(view.json)
            }
        }
        return try completedState(self.schema.current(state: view.json, of: schema))
    }

    private func completedState(_ json: JSON) throws -> State {
        var json = json
        while true {
            do {
                return try JSONCoding.decode(State.self, from: json)
            } catch DecodingError.keyNotFound(let key, let context) {
                let addition = try initialMember(key, context.codingPath, missingIn: json)
                guard let addition else {
                    throw DecodingError.keyNotFound(key, context)
                }
                try JSONPatch([addition]).apply(to: &json, limits: .trusted)
            }
        }
    }

    /// What adds the member of a new room's state; nil if there is none, or `json` has it already.
    private func initialMember(
        _ key: any CodingKey, _ path: [any CodingKey], missingIn json: JSON
    ) throws -> JSONPatch.Operation? {
        guard path.allSatisfy({ $0.intValue == nil }), let state = makeStore().state else {
            return nil
        }
        let place = JSONPointer((path + [key]).map(\.stringValue))
        guard let value = try? place.resolve(in: JSONCoding.encodeTree(state)),
            (try? place.resolve(in: json)) == nil
        else { return nil }
        return .add(path: place, value: value)
    }
}

extension RoomSchema {
    /// The action as it would be written now; nil if its type is retired.
    ///
    /// Throws what an upcaster throws, and ``SchemaError``.
    func current(
        _ recorded: JournalAction, of schema: Int
    ) throws -> JournalAction? {
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
        return JournalAction(type: action.type, payload: action.payload.bytes)
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
