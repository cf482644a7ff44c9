import StorecastWire

extension JournalLine {
    /// The line in UTF-8, with its end. Throws if what it holds isn't JSON.
    package func bytes() throws(JSONError) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        switch self {
        case .header(let room, let epoch):
            writer.write(key: "journal")
            writer.write("\(Self.name)")
            writer.write(key: "format")
            writer.write(Self.format)
            writer.write(key: "room")
            writer.write(room)
            writer.write(key: "epoch")
            writer.write(epoch)
        case .entry(let offset, let record):
            writer.write(key: "offset")
            writer.write(offset)
            try record.writeMembers(to: &writer)
        case .snapshot(let snapshot):
            writer.write(key: "offset")
            writer.write(snapshot.offset)
            writer.write(key: "version")
            writer.write(snapshot.version)
            writer.write(key: "snapshot")
            try writer.writeOnOneLine(snapshot.content)
        }
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}

extension JournalRecord {
    fileprivate func writeMembers(to writer: inout JSONWriter) throws(JSONError) {
        writer.write(key: "time")
        writer.write(time.secondsSince1970)
        writer.write(key: "sender")
        sender.write(to: &writer)
        writer.write(key: "client")
        writer.write(client)
        writer.write(key: "seq")
        writer.write(seq)
        writer.write(key: "base")
        writer.write(base)
        writer.write(key: "settled")
        writer.write(settled)
        writer.write(key: "seed")
        writer.write("\(seed)")
        writer.write(key: "schema")
        writer.write(schema)
        writer.write(key: "actions")
        writer.beginArray()
        for action in actions {
            writer.beginObject()
            writer.write(key: "type")
            writer.write(action.type)
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
        writer.write(key: "id")
        writer.write(id)
        if !roles.isEmpty {
            writer.write(key: "roles")
            writer.beginArray()
            for role in roles.sortedExactly() { writer.write(role) }
            writer.endArray()
        }
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes a JSON text of unknown origin: as it is, if it is JSON and has no line break.
    fileprivate mutating func writeOnOneLine(_ text: [UInt8]) throws(JSONError) {
        let document = try JSONDocument(text, limits: .trusted)
        if text.contains(UInt8(ascii: "\n")) {
            write(document.root.json)
        } else {
            write(document.root)
        }
    }
}
