extension Recording {
    /// Reads JSON Lines as ``bytes`` writes them. Complexity: linear.
    ///
    /// Lines may end with a carriage return too, and the last one without anything.
    ///
    /// - Throws: ``RecordingError``, which names the first line that is damaged.
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
