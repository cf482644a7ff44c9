import StorecastRoom
import StorecastSync

/// Writes numbers and texts one after the other, as ``ReplicaSegment`` has them.
struct SegmentWriter {
    private(set) var bytes: [UInt8] = []

    /// Seven bits in each byte, the lowest first (LEB128).
    mutating func add(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func add(_ text: [UInt8]?) {
        guard let text else { return add(0) }
        add(UInt64(text.count) + 1)
        bytes += text
    }

    mutating func add(_ text: String) { add(Array(text.utf8)) }

    mutating func add(_ time: Timestamp) { add(time.secondsSince1970.bitPattern) }

    mutating func add(_ place: LogPlace) {
        add(place.offset)
        add(place.checksum)
    }
}

/// Reads what ``SegmentWriter`` wrote.
struct SegmentReader {
    /// The bytes end too early, or hold what no writer writes.
    struct Broken: Error {}

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// What hasn't been read.
    var remainder: ArraySlice<UInt8> { rest }

    mutating func number() throws(Broken) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 70, by: 7) {
            guard let byte = rest.popFirst() else { break }
            number |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return number }
        }
        throw Broken()
    }

    mutating func text() throws(Broken) -> [UInt8]? {
        let length = try number()
        guard length > 0 else { return nil }
        guard length - 1 <= rest.count else { throw Broken() }
        defer { rest = rest.dropFirst(Int(length - 1)) }
        return Array(rest.prefix(Int(length - 1)))
    }

    mutating func string() throws(Broken) -> String {
        guard let text = try text() else { throw Broken() }
        return String(decoding: text, as: UTF8.self)
    }

    mutating func time() throws(Broken) -> Timestamp {
        Timestamp(secondsSince1970: Double(bitPattern: try number()))
    }

    mutating func place() throws(Broken) -> LogPlace {
        LogPlace(offset: try number(), checksum: try number())
    }
}

extension EntryRow {
    func write(to writer: inout SegmentWriter) {
        writer.add(client)
        for number in [seq, base, settled] { writer.add(number) }
        writer.add(sender)
        writer.add(roles)
        writer.add(time.bitPattern)
        writer.add(seed)
        writer.add(UInt64(bitPattern: Int64(schema)))
        writer.add(type.map { Array($0.utf8) })
        for text in [payload, more, rejection] { writer.add(text) }
    }

    init(_ reader: inout SegmentReader) throws(SegmentReader.Broken) {
        client = try reader.string()
        seq = try reader.number()
        base = try reader.number()
        settled = try reader.number()
        sender = try reader.string()
        roles = try reader.text()
        time = Double(bitPattern: try reader.number())
        seed = try reader.number()
        schema = Int(Int64(bitPattern: try reader.number()))
        type = try reader.text().map { String(decoding: $0, as: UTF8.self) }
        payload = try reader.text()
        more = try reader.text()
        rejection = try reader.text()
    }
}
