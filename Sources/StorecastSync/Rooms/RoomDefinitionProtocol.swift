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
    /// What is said of a room on the wire.
    package let vocabulary: RoomVocabulary

    init<State>(_ definition: RoomDefinition<State>) {
        open = { context in Room(definition, context) }
        replay = { limits in RoomReplay(definition, limits: limits) }
        vocabulary = RoomVocabulary(of: definition)
        verification = { limits in JournalVerification(definition, limits: limits) }
    }
}

extension AnyRoomDefinition: RoomDefinitionProtocol {
    /// The definition as it is.
    public var erased: AnyRoomDefinition { self }
}
