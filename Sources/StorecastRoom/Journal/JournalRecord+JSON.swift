import StorecastSync
import StorecastWire

extension JournalRecord {
    func writeMembers(to writer: inout JSONWriter) throws(JSONError) {
        writer.member("time", time.secondsSince1970)
        writer.write(key: "sender")
        sender.write(to: &writer)
        writer.member("client", client)
        writer.member("seq", seq)
        writer.member("base", base)
        writer.member("settled", settled)
        writer.member("seed", "\(seed)")
        writer.member("schema", schema)
        writer.write(key: "actions")
        writer.beginArray()
        for action in actions {
            writer.beginObject()
            writer.member("type", action.type)
            writer.write(key: "payload")
            try writer.writeOnOneLine(action.payload)
            writer.endObject()
        }
        writer.endArray()
        if let rejection {
            writer.write(key: "rejection")
            writer.beginObject()
            rejection.writeMembers(to: &writer)
            writer.endObject()
        }
        if let refused {
            writer.write(key: "refused")
            refused.write(to: &writer)
        }
    }
}

extension Identity {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        if !roles.isEmpty {
            writer.write(key: "roles")
            writer.beginArray()
            for role in roles.sortedExactly() { writer.write(role) }
            writer.endArray()
        }
        writer.endObject()
    }
}

extension JournalRecord {
    init(line: JSONView) throws(JournalLineError) {
        guard let time = line["time"]?.double else {
            throw JournalLineError("The member 'time' isn't a number of seconds since 1970.")
        }
        guard let seed = line["seed"]?.string.flatMap(UInt64.init) else {
            throw JournalLineError("The member 'seed' isn't a string of digits.")
        }
        guard let schema = line["schema"]?.int, schema > 0 else {
            throw JournalLineError("The member 'schema' isn't a number from 1.")
        }
        self.init(
            client: try line.text("client"), seq: try line.number("seq", from: 1),
            base: try line.number("base"), settled: try line.number("settled"),
            sender: try Self.sender(line), time: Timestamp(secondsSince1970: time), seed: seed,
            actions: try Self.actions(line), rejection: try Self.rejection(line),
            refused: try Self.refused(line), schema: schema)
    }

    private static func sender(_ line: JSONView) throws(JournalLineError) -> Identity {
        guard let sender = line["sender"], let id = sender["id"]?.string else {
            throw JournalLineError("The member 'sender' lacks an id.")
        }
        return Identity(id, roles: Set(sender["roles"]?.elements.compactMap(\.string) ?? []))
    }

    private static func actions(
        _ line: JSONView
    ) throws(JournalLineError) -> [JournalAction] {
        guard let list = line["actions"], list.isArray else {
            throw JournalLineError("The member 'actions' isn't an array.")
        }
        var actions: [JournalAction] = []
        for action in list.elements {
            let payload = action["payload"]?.withBytes { Array($0) }
            actions.append(
                JournalAction(type: try action.text("type"), payload: payload ?? Array("{}".utf8)))
        }
        return actions
    }

    private static func rejection(_ line: JSONView) throws(JournalLineError) -> Rejection? {
        guard let member = line["rejection"] else { return nil }
        guard let rejection = Rejection(member) else {
            throw JournalLineError("The member 'rejection' lacks code or title.")
        }
        return rejection
    }

    private static func refused(_ line: JSONView) throws(JournalLineError) -> RefusedAction? {
        guard let member = line["refused"] else { return nil }
        guard let refused = RefusedAction(member) else {
            throw JournalLineError("The member 'refused' lacks type, bytes or digest.")
        }
        return refused
    }
}

extension JSONWriter {
    /// Writes a JSON text of unknown origin: as it is, if it is JSON and has no line break.
    mutating func writeOnOneLine(_ text: [UInt8]) throws(JSONError) {
        let document = try JSONDocument(text, limits: .trusted)
        if text.contains(UInt8(ascii: "\n")) {
            write(document.root.json)
        } else {
            write(document.root)
        }
    }
}

extension JSONView {
    func text(_ key: StaticString) throws(JournalLineError) -> String {
        guard let text = self[key]?.string else {
            throw JournalLineError("The member '\(key)' isn't a string.")
        }
        return text
    }

    func number(
        _ key: StaticString, from lowest: UInt64 = 0
    ) throws(JournalLineError) -> UInt64 {
        let range = lowest...ProtocolVersion.largestInteger
        guard let number = self[key]?.uint64, range.contains(number) else {
            throw JournalLineError(
                "The member '\(key)' isn't a whole number from \(lowest) to 2^53-1.")
        }
        return number
    }
}
