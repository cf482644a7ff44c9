import StorecastSQLite
import StorecastRoom

/// An entry as one line of a table.
struct EntryText {
    /// How many bytes of a payload are shown.
    private static let longestPayload = 72

    let inUTC: Bool

    /// What stands above the columns.
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

    /// The version that an entry led to, or why to none.
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
        let refused = record.refused.map { ($0.type, $0.payload) }
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
