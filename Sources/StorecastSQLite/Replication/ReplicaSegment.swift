import StorecastRoom
import StorecastSync

/// A part of a replica: what a journal got after the segment before.
///
/// As a file it is a line that says what it is, the header, the records, and the checksum (64-bit
/// FNV-1a) of all that. Entries keep the checksums that chain them in the journal, so that a segment
/// of another place or another journal doesn't fit.
struct ReplicaSegment: Equatable {
    struct Header: Equatable {
        var generation: String
        /// Counted from 1 in each generation.
        var number: UInt64 = 0
        /// When the generation was begun.
        var began: Timestamp
        /// When it first had all that the journal had; nil as long as it hasn't.
        var completed: Timestamp?
        /// When the segment was read from the journal.
        var time: Timestamp
        /// It has the entries after this offset.
        var start: UInt64 = 0
        /// How far the generation has come.
        var position = ReplicaPosition()
    }

    /// What comes in a segment, in this order for each room.
    enum Record: Equatable {
        /// The next room that the segment is about, and the entry after which what follows begins.
        case room(String, after: LogPlace)
        /// A snapshot of a room, by its place among the segment's rooms.
        case snapshot(JournalSnapshot, room: Int)
        case entry(EntryRow, at: LogPlace, room: Int)
    }

    static let name = "storecast segment"
    static let format = 1

    var header: Header
    /// The records as bytes.
    var records: [UInt8]

    var bytes: [UInt8] {
        var writer = SegmentWriter()
        header.write(to: &writer)
        let bytes = Array("\(Self.name) \(Self.format)\n".utf8) + writer.bytes + records
        return bytes + Self.checksum(of: bytes[...])
    }

    /// Throws ``SegmentReader/Broken`` if these aren't the bytes of a segment.
    init(_ bytes: [UInt8]) throws {
        let content = bytes.dropLast(8)
        let title = Array("\(Self.name) \(Self.format)\n".utf8)
        guard content.starts(with: title), Self.checksum(of: content) == Array(bytes.suffix(8))
        else { throw SegmentReader.Broken() }
        var reader = SegmentReader(content.dropFirst(title.count))
        header = try Header(&reader)
        records = Array(reader.remainder)
    }

    init(_ header: Header, records: [UInt8]) {
        self.header = header
        self.records = records
    }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        var checksum = FNV1a()
        bytes.withUnsafeBytes { checksum.add($0) }
        return withUnsafeBytes(of: checksum.value.littleEndian) { Array($0) }
    }
}

/// How far a generation has come in its journal.
struct ReplicaPosition: Equatable {
    /// The journal's history: another one is another journal.
    var history: UInt64 = 0
    /// The newest entry.
    var end = LogPlace(offset: 0, checksum: 0)
    /// The snapshots in the journal's file up to this id were seen,
    var snapshot: Int64 = 0
    /// and these of them weren't whole then.
    var unfinished: Set<Int64> = []
    /// The rejections of skipped entries, by offset.
    var tombstones: [UInt64: [UInt8]] = [:]
}

extension ReplicaSegment.Header {
    func write(to writer: inout SegmentWriter) {
        writer.add(generation)
        writer.add(number)
        writer.add(began)
        writer.add(completed == nil ? 0 : 1)
        if let completed { writer.add(completed) }
        writer.add(time)
        writer.add(start)
        writer.add(position.history)
        writer.add(position.end)
        writer.add(UInt64(bitPattern: position.snapshot))
        writer.add(UInt64(position.unfinished.count))
        for id in position.unfinished.sorted() { writer.add(UInt64(bitPattern: id)) }
        writer.add(UInt64(position.tombstones.count))
        for (offset, text) in position.tombstones.sorted(by: { $0.key < $1.key }) {
            writer.add(offset)
            writer.add(text)
        }
    }

    init(_ reader: inout SegmentReader) throws(SegmentReader.Broken) {
        generation = try reader.string()
        number = try reader.number()
        began = try reader.time()
        completed = try reader.number() == 0 ? nil : reader.time()
        time = try reader.time()
        start = try reader.number()
        position.history = try reader.number()
        position.end = try reader.place()
        position.snapshot = Int64(bitPattern: try reader.number())
        for _ in 0..<(try reader.number()) {
            position.unfinished.insert(Int64(bitPattern: try reader.number()))
        }
        for _ in 0..<(try reader.number()) {
            let offset = try reader.number()
            position.tombstones[offset] = try reader.text() ?? []
        }
    }
}

extension ReplicaSegment.Record {
    func write(to writer: inout SegmentWriter) {
        switch self {
        case .room(let name, let place):
            writer.add(1)
            writer.add(name)
            writer.add(place)
        case .snapshot(let snapshot, let room):
            writer.add(2)
            writer.add(UInt64(room))
            writer.add(snapshot.offset)
            writer.add(snapshot.version)
            writer.add(snapshot.content)
        case .entry(let row, let place, let room):
            writer.add(3)
            writer.add(UInt64(room))
            writer.add(place)
            row.write(to: &writer)
        }
    }

    init(_ reader: inout SegmentReader) throws(SegmentReader.Broken) {
        switch try reader.number() {
        case 1: self = .room(try reader.string(), after: try reader.place())
        case 2:
            let room = Int(truncatingIfNeeded: try reader.number())
            let (offset, version) = (try reader.number(), try reader.number())
            guard let content = try reader.text() else { throw SegmentReader.Broken() }
            self = .snapshot(
                JournalSnapshot(offset: offset, version: version, content: content), room: room)
        case 3:
            let room = Int(truncatingIfNeeded: try reader.number())
            let place = try reader.place()
            self = .entry(try EntryRow(&reader), at: place, room: room)
        default: throw SegmentReader.Broken()
        }
    }
}
