package import StorecastWire

/// The action types that a room takes, by their names on the wire.
package struct ActionCatalogue: Sendable {
    private let decoders: [String: @Sendable (JSONView?) throws -> any SyncAction]
    /// The types that the server has nothing to complete in.
    private let stampless: Set<ObjectIdentifier>

    package init(_ types: [any SyncAction.Type]) {
        var decoders: [String: @Sendable (JSONView?) throws -> any SyncAction] = [:]
        for type in types {
            let known = decoders.updateValue(Self.decoder(type), forKey: type.wireName)
            precondition(known == nil, "Two action types have the wire name '\(type.wireName)'.")
        }
        self.decoders = decoders
        stampless = Set(types.filter { !($0 is any Stamped.Type) }.map { ObjectIdentifier($0) })
    }

    /// Whether the action is of a type in the catalogue that isn't ``Stamped``. O(1).
    func hasNoStamp(_ action: any SyncAction) -> Bool {
        stampless.contains(ObjectIdentifier(type(of: action)))
    }

    /// The names in the catalogue, in alphabetical order.
    package var names: [String] { decoders.keys.sorted() }

    /// The action of a dispatch frame; a payload that is left out counts as `{}`.
    package func action(_ type: String, _ payload: JSONView?) throws(Rejection) -> any SyncAction {
        guard let decode = decoders[type] else {
            throw Rejection(
                .unknownAction, "The room doesn't take actions of this type.",
                detail: "'\(type.excerpt())' is none of its \(decoders.count) types.")
        }
        do {
            return try decode(payload)
        } catch {
            throw Rejection(
                .invalid, "The action's payload can't be read.",
                detail: "payload of '\(type)': \(explain(error))")
        }
    }

    /// The action that a journal kept.
    func action(_ recorded: JournalRecord.RecordedAction) throws -> any SyncAction {
        let document = try JSONDocument(recorded.payload, limits: .trusted)
        return try action(recorded.type, document.root)
    }

    private static func decoder<A: SyncAction>(
        _ type: A.Type
    ) -> @Sendable (JSONView?) throws -> any SyncAction {
        { payload in
            guard let payload else { return try JSONCoding.decode(A.self, from: .object([:])) }
            return try JSONCoding.decode(A.self, from: payload)
        }
    }
}
