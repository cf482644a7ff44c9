extension Recording {
    static let format: StaticString = "storecast-recording"
    static let version = 1

    /// The recording as JSON Lines. Complexity: linear.
    public var bytes: [UInt8] {
        var writer = JSONWriter(reserving: 64 + entries.count * 96)
        writer.beginObject()
        writer.write(key: "format")
        writer.write(Self.format.description)
        writer.write(key: "version")
        writer.write(Int64(Self.version))
        writer.endObject()
        writer.raw("\n")
        for entry in entries {
            entry.write(to: &writer)
        }
        return writer.bytes
    }
}

extension Recording.Entry {
    /// Appends the entry's line. By hand, since this is where saving takes its time.
    func write(to writer: inout JSONWriter) {
        // Raw, because the writer would put a comma after the line before.
        writer.raw("{")
        writer.write(key: "time")
        writer.write(time.wholeMicroseconds)
        writer.write(key: "action")
        writer.beginObject()
        writer.write(key: "type")
        writer.write(action.type)
        if let payload = action.payload {
            writer.write(key: "payload")
            writer.write(payload)
        }
        writer.write(key: "isTypedAction")
        writer.write(action.isTypedAction)
        writer.endObject()
        writer.endObject()
        writer.raw("\n")
    }
}

extension Duration {
    /// Rounded down.
    var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
