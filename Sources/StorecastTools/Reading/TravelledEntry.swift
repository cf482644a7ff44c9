import StorecastSQLite
import StorecastRoom

/// An entry that a ``RoomTraveller`` passed, with its outcome.
struct TravelledEntry {
    var entry: JournalFileEntry
    /// Its outcome; nil if it isn't known.
    var replayed: ReplayedEntry?

    /// Whether it is the one that led to `version`.
    func leads(to version: UInt64) -> Bool {
        replayed?.outcome == .reduced && replayed?.version == version
    }
}

extension TravelledEntry {
    /// The entry as `export` writes it, with its `version` and `outcome`, and the `reason` of a
    /// rejection.
    var json: JSON {
        get throws {
            var json = try exported() ?? ["offset": .uint(entry.offset)]
            if !entry.isIntact { json["isIntact"] = false }
            guard let replayed else { return json }
            json["version"] = .uint(replayed.version)
            switch replayed.outcome {
            case .reduced: json["outcome"] = "reduced"
            case .duplicate: json["outcome"] = "duplicate"
            case .rejected(let rejection):
                json["outcome"] = "rejected"
                json["reason"] = rejection.json
            }
            return json
        }
    }

    /// Nil if its content isn't JSON, because it is damaged.
    private func exported() throws -> JSON? {
        guard let record = entry.record,
            let line = try? JournalLine.entry(offset: entry.offset, record).bytes()
        else { return nil }
        return try JSONDocument(line, limits: .trusted).root.json
    }
}

extension Rejection {
    fileprivate var json: JSON {
        var json: JSON = ["code": .string(code.description), "title": .string(title)]
        json["detail"] = detail.map { .string($0) }
        return json
    }
}

/// An entry as one line of a table.
struct EntryText {
    /// How many bytes of a payload are shown.
    private static let longestPayload = 72

    let inUTC: Bool

    /// The headings of the columns.
    var header: String {
        Self.line("version", "offset", "time".column(inUTC ? 24 : 29), "sender", "actions")
    }

    func text(_ travelled: TravelledEntry) -> String {
        let offset = String(travelled.entry.offset)
        guard let record = travelled.entry.record else {
            return Self.line("damaged", offset, "", "", "It can't be read.")
        }
        return Self.line(
            Self.place(travelled), offset, record.time.text(inUTC: inUTC), record.senderName,
            Self.actions(record) + Self.reason(travelled, record))
    }

    /// The version that an entry led to, or why it led to none.
    private static func place(_ travelled: TravelledEntry) -> String {
        guard travelled.entry.isIntact else { return "damaged" }
        return switch travelled.replayed?.outcome {
        case .reduced: String(travelled.replayed?.version ?? 0)
        case .rejected: "rejected"
        case .duplicate: "duplicate"
        case nil: travelled.entry.record?.rejection == nil ? "?" : "rejected"
        }
    }

    private static func actions(_ record: JournalRecord) -> String {
        if record.actions.isEmpty, record.rejection == nil { return "nothing" }
        let actions = record.actions.map { ($0.type, String(decoding: $0.payload, as: UTF8.self)) }
        let refused = record.refused.map { ($0.type, $0.summary) }
        return (actions + [refused].compactMap(\.self)).map { type, payload in
            "\(type.onOneLine.excerpt()) " + payload.onOneLine.excerpt(longestPayload)
        }.joined(separator: "; ")
    }

    private static func reason(_ travelled: TravelledEntry, _ record: JournalRecord) -> String {
        guard let rejection = travelled.rejection else { return "" }
        let isAlone = record.actions.isEmpty && record.refused == nil
        return (isAlone ? "" : " – ") + "\(rejection.code): \(rejection)".onOneLine
    }

    private static func line(
        _ place: String, _ offset: String, _ time: String, _ sender: String, _ rest: String
    ) -> String {
        [
            place.column(9, alignedRight: true), offset.column(8, alignedRight: true), time,
            sender.column(10), rest,
        ].joined(separator: "  ")
    }
}

extension TravelledEntry {
    /// Why it had no effect.
    var rejection: Rejection? {
        if case .rejected(let rejection) = replayed?.outcome { return rejection }
        return entry.record?.rejection
    }
}

extension JournalRecord {
    /// Who sent it, for people.
    var senderName: String {
        sender == .anonymous ? "(anonymous)" : sender.id.onOneLine.excerpt()
    }
}
