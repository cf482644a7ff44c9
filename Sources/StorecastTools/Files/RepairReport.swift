import StorecastSQLite

/// What `storecast journal repair` says.
struct RepairReport {
    /// More senders of lost actions than this are counted only.
    private static let namedSenders = 20
    private let repair: JournalRepair

    init(_ repair: JournalRepair) {
        self.repair = repair
    }

    var lines: [String] {
        var lines = repair.rooms.flatMap { Self.lines($0) }
        lines += repair.unreadable.map { range in
            let end = range.upperBound < UInt64(Int64.max) ? "\(range.upperBound)" : "the end"
            return "The entries from offset \(range.lowerBound) to \(end), as far as there were "
                + "any, can't be read at all: nobody can tell whose they were."
        }
        if repair.badSnapshots > 0 {
            lines.append("\(repair.badSnapshots) of the snapshots can't be used, and are gone.")
        }
        if !repair.rooms.allSatisfy(\.isWhole) {
            lines.append("Rooms that aren't said to be whole have a new epoch.")
        }
        return lines + ["The damaged file is kept as '\(repair.damagedFile)'."]
    }

    private static func lines(_ room: JournalRepair.Room) -> [String] {
        let name = "Room '\(room.name)'"
        guard let head = room.head else {
            return [
                "\(name) is lost: its first entries are no longer kept, and no snapshot is good."
            ] + lost(room)
        }
        if room.isWhole { return ["\(name) is whole: \(room.kept) entries."] }
        var lines = ["\(name) keeps \(room.kept) entries, up to offset \(head)."]
        if let start = room.start {
            lines.append(
                "  Its history begins with the snapshot at offset \(start.offset) now, of version "
                    + "\(start.version), as entries before it are damaged. The \(room.forgotten) "
                    + "that can be read of them are in effect, but no longer in the log.")
        }
        return lines + lost(room)
    }

    private static func lost(_ room: JournalRepair.Room) -> [String] {
        guard let range = room.lost else { return [] }
        var lines = [
            "  Lost: \(room.lostEntries) entries, offsets \(range.lowerBound) to "
                + "\(range.upperBound)."
        ]
        let senders = room.lostActions.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !senders.isEmpty {
            let names = senders.prefix(namedSenders).map { sender, count in
                "\(count) of \(sender.isEmpty ? "anonymous" : "'\(sender)'")"
            }
            let more = senders.count > namedSenders ? ", and of others" : ""
            lines.append("  Actions among them: \(names.joined(separator: ", "))\(more).")
        }
        return lines
    }
}
