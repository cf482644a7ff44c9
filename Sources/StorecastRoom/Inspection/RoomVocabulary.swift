package import StorecastSync

/// The types of all that clients can say to a room and see of it.
package struct RoomVocabulary: Sendable {
    package struct Selection: Sendable {
        package let name: String
        /// Nil if it has none.
        package let parameters: (any (Codable & Sendable).Type)?
        package let value: any (Codable & Sendable).Type

        fileprivate init<S: SelectionProtocol>(_ selection: S) {
            name = selection.name
            parameters = S.Parameters.self is NoParameters.Type ? nil : S.Parameters.self
            value = S.Value.self
        }
    }

    package let state: any (Codable & Sendable).Type
    /// What clients may dispatch, in the alphabetical order of the names on the wire.
    package let actions: [any SyncAction.Type]
    /// In the alphabetical order of their names.
    package let selections: [Selection]

    package init(of room: some RoomDefinitionProtocol) {
        self.init(room.definition)
    }

    private init<State>(_ room: RoomDefinition<State>) {
        state = State.self
        actions = room.actions.forClients
        selections = room.selections.values.sorted { $0.name < $1.name }.map { Selection($0) }
    }
}
