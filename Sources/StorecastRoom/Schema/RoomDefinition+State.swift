import StorecastWire

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
