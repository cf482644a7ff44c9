extension Recording {
    private static let format: StaticString = "storecast-recording"
    private static let version = 1

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
    /// Appends the entry's line. Written by hand, because saving spends most of its time here.
    fileprivate func write(to writer: inout JSONWriter) {
        // Raw, because the writer would put a comma after the previous line.
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
    fileprivate var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

extension Recording {
    /// Reads JSON Lines as ``bytes`` writes them. Complexity: linear.
    ///
    /// A carriage return before a line feed is allowed, and the last line feed may be missing.
    ///
    /// - Throws: ``RecordingError``, which names the first damaged line.
    public init(bytes: [UInt8]) throws(RecordingError) {
        var lines = bytes.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        guard let header = lines.first else {
            throw RecordingError(line: 1, "The file is empty; a recording begins with a header.")
        }
        try Self.check(header: Self.root(of: header, line: 1))
        entries = []
        entries.reserveCapacity(lines.count - 1)
        for (line, text) in zip(2..., lines.dropFirst()) {
            let entry = try Self.entry(Self.root(of: text, line: line), line: line)
            if let last = entries.last, entry.time < last.time {
                throw RecordingError(line: line, "The time is before that of the line above.")
            }
            entries.append(entry)
        }
    }

    private static func root(
        of text: ArraySlice<UInt8>, line: Int
    ) throws(RecordingError) -> JSONView {
        do throws(JSONError) {
            return try JSONDocument(text, limits: .trusted).root
        } catch {
            throw RecordingError(line: line, error.message)
        }
    }

    private static func check(header: JSONView) throws(RecordingError) {
        guard header["format"]?.isString(format) ?? false, let found = header["version"] else {
            throw RecordingError(line: 1, "The header of a recording is missing.")
        }
        guard found.int == version else {
            throw RecordingError(
                line: 1,
                "The recording is of version \(found.rawText), and this reads version \(version).")
        }
    }

    private static func entry(_ line: JSONView, line number: Int) throws(RecordingError) -> Entry {
        guard let time = line["time"]?.int64, time >= 0 else {
            throw RecordingError(
                line: number, "The member 'time' isn't a whole number of microseconds.")
        }
        guard let action = line["action"] else {
            throw RecordingError(line: number, "The member 'action' is missing.")
        }
        do {
            return Entry(
                time: .microseconds(time),
                action: try JSONCoding.decode(StandardAction.self, from: action))
        } catch {
            throw RecordingError(
                line: number, "The action can't be read. \(JSONCoding.message(for: error))")
        }
    }
}
