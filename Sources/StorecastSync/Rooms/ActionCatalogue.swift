package import StorecastWire

/// The action types that a room takes, by their names on the wire.
package struct ActionCatalogue: Sendable {
    private struct Known: Sendable {
        let type: any SyncAction.Type
        let decode: @Sendable (JSONView?) throws -> any SyncAction
        /// Clients may not dispatch it.
        let isReserved: Bool
    }

    private var types: [ExactString: Known] = [:]
    /// The types that the server has nothing to complete in.
    private var stampless: Set<ObjectIdentifier>
    /// What is said to clients that dispatch another type.
    private var knownNames = KnownNames([])

    package init(_ types: [any SyncAction.Type]) {
        stampless = Set(types.filter { !($0 is any Stamped.Type) }.map { ObjectIdentifier($0) })
        for type in types {
            let known = self.types.updateValue(
                Self.known(type), forKey: ExactString(type.wireName))
            precondition(known == nil, "Two action types have the wire name '\(type.wireName)'.")
        }
        precondition(
            self.types[ExactString(ForgetClients.wireName)] == nil,
            "The wire name '\(ForgetClients.wireName)' is the server's own.")
        add(ForgetClients.self)
        // Always, as a log may have them from a time when the room asked for them.
        for type in [ClientJoined.self, ClientLeft.self] as [any SyncAction.Type]
        where self.types[ExactString(type.wireName)] == nil {
            self.types[ExactString(type.wireName)] = Self.known(type)
        }
        knownNames = KnownNames(names)
    }

    /// Adds a type that isn't ``Stamped``; without effect if it is there already.
    mutating func add(_ type: any SyncAction.Type) {
        stampless.insert(ObjectIdentifier(type))
        types[ExactString(type.wireName)] = Self.known(type)
        knownNames = KnownNames(names)
    }

    /// Whether the action is of a type in the catalogue that isn't ``Stamped``. O(1).
    package func hasNoStamp(_ action: any SyncAction) -> Bool {
        stampless.contains(ObjectIdentifier(type(of: action)))
    }

    /// Throws unless the action, of the server's own or made by middleware, is of a type in the
    /// catalogue: what is in the log has to be read back.
    package func check(_ action: any SyncAction) throws(Rejection) {
        let type = type(of: action)
        guard !contains(type) else { return }
        throw Rejection(
            .unknownAction, "The room doesn't take actions of this type.",
            detail: "'\(type)' isn't in its definition.")
    }

    /// Whether the type itself is in the catalogue, and not just one of its name. O(1).
    package func contains(_ type: any SyncAction.Type) -> Bool {
        types[ExactString(type.wireName)]?.type == type
    }

    /// What to do about an action that was forgotten, in a sentence for who writes the program.
    package static func lack(of type: any SyncAction.Type) -> String {
        "'\(type)' isn't among the room's actions. Add \(type).self to `actions` of its definition."
    }

    /// Whether it is the name of a type in the catalogue. O(1).
    package func contains(_ name: String) -> Bool { types[ExactString(name)] != nil }

    /// What clients may dispatch, by name and in alphabetical order.
    package var names: [String] { types.filter { !$0.value.isReserved }.keys.sortedStrings() }

    /// What clients may dispatch, in the alphabetical order of the names.
    package var forClients: [any SyncAction.Type] {
        names.compactMap { types[ExactString($0)]?.type }
    }

    /// Whether these names stand for types that clients may not dispatch.
    func areReserved(_ types: any ServerAction.Type...) -> Bool {
        types.allSatisfy { self.types[ExactString($0.wireName)]?.isReserved == true }
    }

    /// The action of a client's dispatch frame; a payload that is left out counts as `{}`.
    package func action(_ type: String, _ payload: JSONView?) throws(Rejection) -> any SyncAction {
        guard let known = types[ExactString(type)] else {
            throw Rejection(
                .unknownAction, "The room doesn't take actions of this type.",
                detail: knownNames.lack(of: type))
        }
        guard !known.isReserved else {
            throw Rejection(
                .forbidden, "Only the server dispatches actions of this type.",
                detail: "'\(type)' reports what only the server knows.")
        }
        return try action(type, payload, known)
    }

    private func action(
        _ type: String, _ payload: JSONView?, _ known: Known
    ) throws(Rejection) -> any SyncAction {
        do {
            return try known.decode(payload)
        } catch {
            throw Rejection(
                .invalid, "The action's payload can't be read.",
                detail: "payload of '\(type)': \(explain(error))")
        }
    }

    /// The action that a journal kept, whoever dispatched it; the payload is JSON text.
    package func action(recorded type: String, _ payload: [UInt8]) throws -> any SyncAction {
        guard let known = types[ExactString(type)] else {
            throw Rejection(.unknownAction, "The room has no action '\(type)' any more.")
        }
        let document = try JSONDocument(payload, limits: .trusted)
        return try action(type, document.root, known)
    }

    private static func known<A: SyncAction>(_ type: A.Type) -> Known {
        Known(
            type: type,
            decode: { payload in
                guard let payload else { return try JSONCoding.decode(A.self, from: .object([:])) }
                return try JSONCoding.decode(A.self, from: payload)
            }, isReserved: type is any ServerAction.Type)
    }
}
