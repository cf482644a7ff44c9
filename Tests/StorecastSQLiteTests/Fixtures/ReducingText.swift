import Foundation
@testable import StorecastSQLite

/// The first slot of a `-reducing` file as text: its numbers and the room's name, one a line.
///
/// In the file the numbers have eight bytes each, in the machine's order; then follow the bytes of
/// the name and zeros.
enum ReducingText {
    private static let names = ["offset", "history", "crashes", "new", "bytes"]

    static func dump(_ path: String) throws -> String {
        let data = try Data(contentsOf: URL(filePath: path))
        let words = data.prefix(8 * names.count).withUnsafeBytes { bytes in
            names.indices.map { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self) }
        }
        let name = data.dropFirst(8 * names.count).prefix(Int(words[4]))
        let lines = zip(names, words).map { "\($0) \($1)" }
        return (lines + ["room \(String(decoding: name, as: UTF8.self))"]).joined(separator: "\n")
            + "\n"
    }

    static func load(_ text: String, to path: String) throws {
        var data = Data()
        for line in text.split(separator: "\n") {
            let value = line.split(separator: " ", maxSplits: 1)[1]
            if line.hasPrefix("room ") {
                data += Data(value.utf8)
            } else if let number = UInt64(value) {
                withUnsafeBytes(of: number) { data += Data($0) }
            }
        }
        data += Data(count: ReducingSlot.size - data.count)
        try data.write(to: URL(filePath: path))
    }
}
