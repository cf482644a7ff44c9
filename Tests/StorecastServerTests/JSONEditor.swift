@testable import StorecastServer
@testable import StorecastRoom

/// A JSON document that tests edit as a room does: read the payload, check, reduce.
struct JSONEditor {
    private let room: RoomDefinition<SharedDocument>
    private let store: Store<SharedDocument>
    private let log = Log()

    /// What has come through the room's middleware, whatever became of it.
    private final class Log { var actions: [any SyncAction] = [] }

    /// - Parameter rules: those that it obeys, as the room `/`.
    init(
        _ initial: JSON, bytes: Int = JSONRoom.longestDocument, obeying rules: DocumentRules? = nil
    ) {
        let room = JSONRoom.definition(initial: initial, bytes: bytes)
        self.room = rules.map { room.obeying($0, at: "/") } ?? room
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
    func dispatch(_ type: String, _ payload: JSON, as sender: Identity = .anonymous) throws {
        store.dispatch(try admitted(type, "\(payload)", from: sender))
        if let logged = log.actions.last { try reduce(logged) }
    }

    /// What the log is to have of a dispatch, of the payload's text; throws what its rules say.
    func admitted(
        _ type: String, _ payload: String, from sender: Identity
    ) throws -> any SyncAction {
        let action = try room.actions.action(type, JSONDocument(payload).root)
        try room.check(action, from: sender, in: store.state, isClosed: false)
        return room.narrowed(action, from: sender)
    }

    /// Whether somebody is let read what is at a path.
    func isReadable(_ path: JSONPointer, by viewer: Identity) -> Bool {
        let rule = room.rule(for: ExactString(JSONRoom.value.name), isClosed: true)
        let place = AnyHashable(JSONPlace(path: JSONPath(path)))
        return (try? Permitted(to: viewer, by: rule, place, in: store.state) {}) != nil
    }

    /// Does what the log has.
    func reduce(_ action: any SyncAction) throws {
        try room.validators[ObjectIdentifier(type(of: action))]?(store.state, action, .anonymous)
        store.reduce(action)
    }

    /// Reduces what another editor has logged, by this one's rules.
    func replay(_ other: JSONEditor) throws {
        for action in other.log.actions {
            let payload = try JSONCoding.encode(action)
            try? reduce(recorded(type(of: action).wireName, payload))
        }
    }

    /// An action as a log has it.
    func recorded(_ type: String, _ payload: [UInt8]) throws -> any SyncAction {
        try room.actions.action(recorded: type, payload)
    }

    /// The rejection of a dispatch that must change nothing.
    func rejection(
        _ type: String, _ payload: JSON, of sender: Identity = .anonymous
    ) -> Rejection? {
        let before = document
        do {
            try dispatch(type, payload, as: sender)
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
