import StorecastSync
import StorecastWire

/// The text of a stored outbox: a line for each record, behind eight hexadecimal digits of the
/// line's CRC-32 and a space.
///
/// It is written at its end only. A crash may leave the last lines torn, or some of them missing;
/// the first line that isn't whole ends the log. Nothing that matters is lost with the rest, as
/// nothing is sent before it is stored for good.
struct OutboxLog {
    private(set) var text: [UInt8] = []

    mutating func append(_ record: OutboxRecord) {
        var writer = JSONWriter()
        record.write(to: &writer)
        let digits = String(CRC32.checksum(of: writer.bytes), radix: 16)
        text += String(repeating: "0", count: 8 - digits.count).utf8
        text += digits.utf8
        text.append(UInt8(ascii: " "))
        text += writer.bytes
        text.append(UInt8(ascii: "\n"))
    }

    /// The records of a log up to the first line that isn't whole, and whether that is all of it.
    static func read(_ text: [UInt8]) -> (records: [OutboxRecord], isWhole: Bool) {
        var records: [OutboxRecord] = []
        var rest = text[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            guard let record = record(rest[..<end]) else { return (records, false) }
            records.append(record)
            rest = rest[(end + 1)...]
        }
        return (records, rest.isEmpty)
    }

    private static func record(_ line: ArraySlice<UInt8>) -> OutboxRecord? {
        guard line.count > 9, line[line.startIndex + 8] == UInt8(ascii: " "),
            let checksum = UInt32(String(decoding: line.prefix(8), as: UTF8.self), radix: 16),
            CRC32.checksum(of: line.dropFirst(9)) == checksum,
            let document = try? JSONDocument(line.dropFirst(9), limits: .trusted)
        else { return nil }
        return OutboxRecord(reading: document.root)
    }
}
