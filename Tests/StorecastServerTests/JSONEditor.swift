@testable import StorecastServer
@testable import StorecastRoom

/// A JSON document that tests edit as a room does: read the payload, check, reduce.
struct JSONEditor {
    private let room: RoomDefinition<SharedDocument>
    private let store: Store<SharedDocument>
    private let log = Log()

    /// What has come through the room's middleware, whatever became of it.
    private final class Log { var actions: [any SyncAction] = [] }

    init(_ initial: JSON, bytes: Int = JSONRoom.longestDocument) {
        room = JSONRoom.definition(initial: initial, bytes: bytes)
        store = room.makeStore()
        room.opening(store)
        store.interceptDispatch { [log] action in
            if let action = action as? any SyncAction { log.actions.append(action) }
        }
    }

    var document: JSON { store.state.value }

    /// The size that the room takes the document's text to have.
    var size: Int { store.state.size }

    /// Dispatches; throws the rejection of the payload or of the check.
    func dispatch(_ type: String, _ payload: JSON) throws {
        let document = try JSONDocument("\(payload)")
        let action = try room.actions.action(type, document.root)
        try room.check(action, from: .anonymous, in: store.state, isClosed: false)
        store.dispatch(action)
        if let logged = log.actions.last { try reduce(logged) }
    }

    private func reduce(_ action: any SyncAction) throws {
        try room.validators[ObjectIdentifier(type(of: action))]?(store.state, action, .anonymous)
        store.reduce(action)
    }

    /// Reduces what another editor has logged, by this one's rules.
    func replay(_ other: JSONEditor) throws {
        for action in other.log.actions {
            let payload = try JSONCoding.encode(action)
            try? reduce(room.actions.action(recorded: type(of: action).wireName, payload))
        }
    }

    /// The rejection of a dispatch that must change nothing.
    func rejection(_ type: String, _ payload: JSON) -> Rejection? {
        let before = document
        do {
            try dispatch(type, payload)
            return nil
        } catch {
            return document == before ? error as? Rejection : nil
        }
    }

    /// What the selection shows at a path.
    func value(at path: String) throws -> JSON {
        let place = try JSONCoding.decode(JSONPlace.self, from: ["path": .string(path)] as JSON)
        return JSONRoom.value.evaluate(store.state, place, .anonymous)
    }
}
