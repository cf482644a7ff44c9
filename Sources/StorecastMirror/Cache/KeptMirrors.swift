import StorecastSync
import StorecastWire

/// The text of a ``MirrorCache``: a line with an index, behind eight hexadecimal digits of its
/// CRC-32 and a space; then the values' JSON texts, one behind the other, in the order of the index.
///
/// A value is read, and its checksum compared, when it is mirrored.
struct KeptMirrors {
    let start: (position: Position, term: String?)
    let entries: [MirrorCache.Key: MirrorCache.Entry]

    /// The version of the format; a reader passes over others.
    private static let version: UInt64 = 1
    /// The longest names that are sent to a server, in bytes: what a server makes is shorter.
    private static let longestName = 1024
    /// For what is read; the file's length is bounded.
    static let limits = JSONLimits(
        bytes: JSONLimits.largestText, depth: JSONLimits.deepestNesting)

    // MARK: Writing

    /// What an entry takes at most, in bytes.
    static func size(of entry: MirrorCache.Entry, _ key: MirrorCache.Key) -> Int {
        let names = key.selection.string.utf8.count + entry.tag.utf8.count
        let parameters = key.parameters?.encodedSize(upTo: .max) ?? 0
        return entry.text.count + names * 6 + parameters + 200
    }

    static func text(
        of entries: [MirrorCache.Key: MirrorCache.Entry], at position: Position, in term: String?,
        _ home: MirrorCache.Home
    ) -> [UInt8] {
        let entries = entries.sorted { $0.value.used < $1.value.used }
        var index = JSONWriter()
        index.beginObject()
        index.member("version", version)
        index.member("room", home.room)
        index.member("viewer", home.viewer)
        index.member("client", mark(of: home.client))
        index.member("epoch", position.epoch)
        index.member("v", position.version)
        if let term { index.member("term", term) }
        index.write(key: "mirrors")
        index.beginArray()
        for (key, entry) in entries { write(key, entry, to: &index) }
        index.endArray()
        index.endObject()
        var text = ChecksummedLine.text(of: index.bytes)
        text.reserveCapacity(entries.reduce(text.count) { $0 + $1.value.text.count })
        for (_, entry) in entries { text += entry.text }
        return text
    }

    private static func write(
        _ key: MirrorCache.Key, _ entry: MirrorCache.Entry, to index: inout JSONWriter
    ) {
        index.beginObject()
        index.member("select", key.selection.string)
        if let parameters = key.parameters { index.member("params", parameters) }
        index.member("v", entry.position.version)
        index.member("since", entry.since)
        index.member("tag", entry.tag)
        index.member("included", entry.included)
        index.member("bytes", entry.text.count)
        index.member("sum", UInt64(entry.checksum))
        index.endObject()
    }

    /// Stands for a client's id, which is half of a secret.
    private static func mark(of client: String) -> String { stampID(client: client, seq: 0) }

    // MARK: Reading

    /// Nil if the text isn't whole, or of another room or viewer.
    init?(reading text: [UInt8], _ home: MirrorCache.Home) {
        guard let end = text.firstIndex(of: UInt8(ascii: "\n")),
            let index = ChecksummedLine.document(in: text[..<end], limits: Self.limits)?.root,
            index["version"]?.uint64 == Self.version,
            let room = index["room"]?.string, RoomPath.areOneRoom(room, home.room),
            index["viewer"]?.string?.isSameText(as: home.viewer) == true,
            let epoch = index["epoch"]?.string, epoch.utf8.count <= Self.longestName,
            let version = index["v"]?.uint64, version <= ProtocolVersion.largestInteger,
            let list = index["mirrors"], list.isArray
        else { return nil }
        let term = index["term"]?.string
        guard term?.utf8.count ?? 0 <= Self.longestName else { return nil }
        let isSameClient =
            index["client"]?.string?.isSameText(as: Self.mark(of: home.client)) == true
        var entries: [MirrorCache.Key: MirrorCache.Entry] = [:]
        var rest = text[(end + 1)...]
        for (place, view) in list.elements.enumerated() {
            guard let size = view["bytes"]?.int, size > 0, size <= rest.count,
                let select = view["select"]?.string, let tag = view["tag"]?.string,
                tag.utf8.count <= Self.longestName,
                let until = view["v"]?.uint64, until <= version,
                let since = view["since"]?.uint64, since <= until,
                let included = view["included"]?.uint64,
                let checksum = view["sum"]?.uint64.flatMap(UInt32.init(exactly:))
            else { return nil }
            let key = MirrorCache.Key(select, view["params"]?.json)
            entries[key] = MirrorCache.Entry(
                position: Position(epoch: epoch, version: until), since: since, tag: tag,
                // Another client's dispatches have other numbers.
                included: isSameClient ? included : 0, text: rest.prefix(size),
                checksum: checksum, used: UInt64(place))
            rest = rest.dropFirst(size)
        }
        guard rest.isEmpty else { return nil }
        start = (Position(epoch: epoch, version: version), term)
        self.entries = entries
    }
}
