import StorecastRoom
import StorecastWire

/// The columns that hold JSON, as most rows have none of it.
extension EntryRow {
    /// A column doesn't hold the JSON that it should.
    struct Unreadable: Error {}

    static func text(roles: Set<String>) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for role in roles.sortedExactly() { writer.write(role) }
        writer.endArray()
        return writer.bytes
    }

    static func roles(_ text: [UInt8]) throws -> Set<String> {
        let root = try JSONDocument(text, limits: .trusted).root
        return Set(
            try root.elements.map { view in
                guard let role = view.string else { throw Unreadable() }
                return role
            })
    }

    static func text(actions: some Sequence<JournalAction>) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for action in actions {
            writer.beginObject()
            writer.write(key: "type")
            writer.write(action.type)
            writer.write(key: "payload")
            writer.write(raw: action.payload)
            writer.endObject()
        }
        writer.endArray()
        return writer.bytes
    }

    static func actions(_ text: [UInt8]) throws -> [JournalAction] {
        try JSONDocument(text, limits: .trusted).root.elements.map { view in
            guard let type = view["type"]?.string, let payload = view["payload"] else {
                throw Unreadable()
            }
            return JournalAction(
                type: type, payload: payload.withBytes { Array($0) })
        }
    }

    static func text(_ rejection: Rejection, of refused: RefusedAction?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        rejection.writeMembers(to: &writer)
        if let refused {
            writer.write(key: "refused")
            refused.write(to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }

    /// A rejection in a journal is final.
    static func rejection(_ text: [UInt8]) throws -> (Rejection, of: RefusedAction?) {
        let root = try JSONDocument(text, limits: .trusted).root
        guard let rejection = Rejection(root) else { throw Unreadable() }
        return (rejection, of: root["refused"].flatMap { RefusedAction($0) })
    }
}
