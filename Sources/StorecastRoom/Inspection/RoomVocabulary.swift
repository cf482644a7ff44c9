/// The types of all that clients can say to a room and see of it.
package struct RoomVocabulary: Sendable {
    package struct Selection: Sendable {
        package let name: String
        /// Nil if it has none.
        package let parameters: (any (Codable & Sendable).Type)?
        package let value: any (Codable & Sendable).Type
    }

    package let state: any (Codable & Sendable).Type
    /// What clients may dispatch, in the alphabetical order of the names on the wire.
    package let actions: [any SyncAction.Type]
    /// In the alphabetical order of their names.
    package let selections: [Selection]

    init<State>(of room: RoomDefinition<State>) {
        state = State.self
        actions = room.actions.forClients
        selections = room.selections.values.sorted { $0.name < $1.name }.map { selection in
            Selection(
                name: selection.name,
                parameters: selection.parameters is NoParameters.Type ? nil : selection.parameters,
                value: selection.value)
        }
    }
}
