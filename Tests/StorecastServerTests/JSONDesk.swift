@testable import StorecastServer
@testable import StorecastSync

/// A JSON document that tests edit as a room does: read the payload, check, reduce.
struct JSONDesk {
    private let room: RoomDefinition<SharedDocument>
    private let store: Store<SharedDocument>

    init(_ initial: JSON) {
        room = JSONRoom.definition(initial: initial)
        store = room.makeStore()
    }

    var document: JSON { store.state.value }

    /// The size that the room takes the document's text to have.
    var size: Int { store.state.size }

    /// Dispatches; throws the rejection of the payload or of the check.
    func dispatch(_ type: String, _ payload: JSON) throws {
        let document = try JSONDocument("\(payload)")
        let action = try room.actions.action(type, document.root)
        if let check = room.validators[ObjectIdentifier(Swift.type(of: action))] {
            try check(store.state, action, .anonymous)
        }
        store.dispatch(action)
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
