import Foundation
import GRDB

/// A database as text: statements of SQL, one a line, that make it again.
///
/// Texts with characters other than printable ASCII are written as their UTF-8 in hexadecimal, as
/// SQLite ends a literal at a NUL character, and editors change what looks alike.
enum SQLText {
    static func dump(_ path: String) throws -> String {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { database in
            var lines: [String] = []
            for pragma in ["auto_vacuum", "application_id", "user_version"] {
                let value = try Int.fetchOne(database, sql: "PRAGMA \(pragma)") ?? 0
                lines.append("PRAGMA \(pragma) = \(value);")
            }
            let schema = try Row.fetchAll(
                database,
                sql: """
                    SELECT name, sql, type FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid
                    """)
            for row in schema {
                let sql: String = row["sql"]
                lines.append(sql.split(whereSeparator: \.isWhitespace).joined(separator: " ") + ";")
            }
            for row in schema where row["type"] == "table" {
                let name: String = row["name"]
                let columns = try database.columns(in: name).map(\.name)
                // GRDB reads a text up to its first NUL character only.
                let selection = columns.map { column in
                    "typeof(\(column)), CASE typeof(\(column)) WHEN 'text' "
                        + "THEN CAST(\(column) AS BLOB) ELSE \(column) END"
                }.joined(separator: ", ")
                for row in try Row.fetchAll(
                    database, sql: "SELECT \(selection) FROM \(name) ORDER BY rowid")
                {
                    let values = columns.indices.map { index in
                        literal(row[2 * index + 1], isText: row[2 * index] == "text")
                    }
                    lines.append(
                        "INSERT INTO \(name) VALUES (\(values.joined(separator: ", ")));")
                }
            }
            return lines.joined(separator: "\n") + "\n"
        }
    }

    /// Makes the database anew at `path`.
    static func load(_ text: String, to path: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: text) }
        try queue.close()
    }

    private static func literal(_ value: DatabaseValue, isText: Bool) -> String {
        switch value.storage {
        case .null: "NULL"
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): "'\(text)'"
        case .blob(let data) where !isText: hex(data)
        case .blob(let data) where data.allSatisfy { (0x20..<0x7F).contains($0) }:
            "'" + String(decoding: data, as: UTF8.self).replacing("'", with: "''") + "'"
        case .blob(let data): "CAST(\(hex(data)) AS TEXT)"
        }
    }

    static func hex(_ data: Data) -> String {
        let digits = data.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "X'" + digits.joined() + "'"
    }
}
