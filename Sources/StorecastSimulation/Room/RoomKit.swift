import StorecastSync

/// A ``SimulatedRoom`` whatever its state.
struct RoomKit: Sendable {
    let people: [Identity]
    let interests: [Interest]
    let kinds: [DispatchKind]
    let serverKinds: [DispatchKind]
    let rareKinds: [DispatchKind]
    /// The actions that the room takes.
    let catalogue: ActionCatalogue
    let open: @Sendable (RoomContext) -> any AnyRoom
    let truth: @Sendable (SyncLimits) -> any Truth
    /// Dispatches on the server, into a room that `open` has made.
    let dispatch: @Sendable (any AnyRoom, any SyncAction, DispatchOutcome) -> Void
    /// Whether everything that came to the room has been reduced or refused.
    let isIdle: @Sendable (any AnyRoom) -> Bool

    init<State>(_ room: SimulatedRoom<State>) {
        people = room.people
        interests = room.interests
        kinds = room.kinds
        serverKinds = room.serverKinds
        rareKinds = room.rareKinds
        catalogue = room.definition.actions
        open = { context in Room(room.definition, context) }
        truth = { limits in ReplayedRoom(room.definition, rules: room.rules, limits) }
        dispatch = { opened, action, outcome in
            (opened as? Room<State>)?.dispatch(action, outcome)
        }
        isIdle = { opened in (opened as? Room<State>)?.isAtRest ?? true }
    }

    /// What a client shows to prove who it is.
    func token(of identity: Identity) -> String {
        ([identity.id] + identity.roles.sortedExactly()).joined(separator: ":")
    }

    /// Whose token it is.
    func identify(_ token: String?) -> Result<Identity, Rejection> {
        guard
            let person = people.first(where: { person in
                token.map { self.token(of: person).isSameText(as: $0) } ?? false
            })
        else {
            return .failure(Rejection(.unauthenticated, "Nobody has such a token."))
        }
        return .success(person)
    }
}
