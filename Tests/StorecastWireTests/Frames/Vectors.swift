import Foundation
import StorecastWire
import Testing

/// The files under `Tests/Vectors`, and the document whose frames they are.
enum Vectors {
    /// Every vector in a folder, by the order of the file names.
    static func all(in folder: String) throws -> [Vector] {
        let directory = tests.appending(path: "Vectors/\(folder)")
        let files = try FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { file in
                let document = try JSONDocument([UInt8](Data(contentsOf: file)))
                let name = file.deletingPathExtension().lastPathComponent
                let vector = Vector(json: document.root.json)
                try #require(vector["name"]?.string == name)
                return vector
            }
    }

    /// The text of a file in `Tests/Vectors`.
    static func text(of file: String) throws -> String {
        try String(contentsOf: tests.appending(path: "Vectors/\(file)"), encoding: .utf8)
    }

    /// `Docs/Protocol.md`.
    static func document() throws -> String {
        let root = tests.deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "Docs/Protocol.md"), encoding: .utf8)
    }

    private static var tests: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }
}

/// One vector; in a failure it shows its name.
struct Vector: Sendable, CustomTestStringConvertible {
    let json: JSON

    subscript(member: String) -> JSON? { json[member] }

    var testDescription: String { json["name"]?.string ?? "?" }

    /// The bytes of the message that the vector describes.
    var message: [UInt8] {
        get throws {
            if let text = json["message"]?.string { return [UInt8](text.utf8) }
            if let base64 = json["base64"]?.string {
                return try [UInt8](#require(Data(base64Encoded: base64)))
            }
            let repeated = try #require(json["repeat"])
            func piece(_ name: String, times: Int = 1) throws -> String {
                try String(repeating: #require(repeated[name]?.string), count: times)
            }
            let times = try #require(repeated["times"]?.int)
            return try [UInt8](
                (piece("prefix") + piece("open", times: times) + piece("close", times: times)
                    + piece("suffix")).utf8)
        }
    }
}
