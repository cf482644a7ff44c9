/// A ``RoomDefinition`` of any state.
public protocol RoomDefinitionProtocol: Sendable {
    /// What a server keeps of the definition.
    var erased: AnyRoomDefinition { get }
}

/// A room definition whose state is known only to itself.
public struct AnyRoomDefinition: Sendable {
    package let open: @Sendable (RoomContext) -> any AnyRoom
    package let replay: @Sendable (SyncLimits) -> any AnyRoomReplay
    package let verification: @Sendable (SyncLimits) -> any AnyJournalVerification
    /// The types of the room's state, actions and selections.
    package let types: RoomTypes

    init<State>(_ definition: RoomDefinition<State>) {
        open = { context in Room(definition, context) }
        replay = { limits in RoomReplay(definition, limits: limits) }
        verification = { limits in JournalVerification(definition, limits: limits) }
        types = RoomTypes(
            state: State.self, actions: definition.actions.dispatchable,
            selections: definition.selections.mapValues(\.types))
    }
}
