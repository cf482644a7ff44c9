import StorecastSQLite

/// What `storecast journal repair` says.
struct RepairReport {
    /// More senders of lost actions than this are counted only.
    private static let namedSenders = 20
    private let repair: JournalRepair
    private let file: String

    /// - Parameter file: the path of the file that was repaired.
    init(_ repair: JournalRepair, of file: String) {
        self.repair = repair
        self.file = file
    }

    var lines: [String] {
        var lines = repair.rooms.flatMap { self.lines($0) }
        lines += repair.unreadable.map { range in
            let end = range.upperBound < UInt64(Int64.max) ? "\(range.upperBound)" : "the end"
            return "The entries from offset \(range.lowerBound) to \(end), as far as there were "
                + "any, can't be read at all: nobody can tell whose they were."
        }
        if repair.strays > 0 {
            let entries = repair.strays.counting("entry is", "entries are")
            lines.append("\(entries) of rooms whose names can't be read, and lost.")
        }
        if repair.badSnapshots > 0 {
            let number = repair.badSnapshots.counting("snapshot isn't", "snapshots aren't")
            lines.append("\(number) what was written, and gone now.")
        }
        if !repair.rooms.allSatisfy(\.isWhole) {
            lines.append("Rooms that aren't said to be whole have a new epoch.")
        }
        return lines + ["The damaged file is kept as '\(repair.damagedFile)'."]
    }

    private func lines(_ room: JournalRepair.Room) -> [String] {
        let name = "Room '\(room.name)'"
        guard let head = room.head else {
            return [
                "\(name) is lost: its first entries are no longer kept, and no snapshot is good."
            ] + lost(room)
        }
        let entries = room.kept.counting("entry", "entries")
        if room.isWhole { return ["\(name) is whole: \(entries)."] }
        let version = version(room).map { ": it is at version \($0) now" } ?? ""
        var lines = ["\(name) keeps \(entries), up to offset \(head)\(version)."]
        if let start = room.start {
            lines.append(
                "  Its history begins with the snapshot at offset \(start.offset) now, of version "
                    + "\(start.version), as entries before it are damaged. The \(room.forgotten) "
                    + "that can be read of them are in effect, but no longer in the log.")
        }
        return lines + lost(room)
    }

    /// The version to which a room has come now; nil if nobody knows here what its actions do.
    private func version(_ room: JournalRepair.Room) -> UInt64? {
        guard let opened = try? JournalFile(file) else { return nil }
        defer { opened.close() }
        let found = try? opened.rooms().first { $0.name.isSameText(as: room.name) }
        guard let found else { return nil }
        var traveller = try? RoomTraveller(RecordedRoom(of: opened, found), near: .newest)
        try? traveller?.go(to: .newest)
        return try? traveller?.version
    }

    private func lost(_ room: JournalRepair.Room) -> [String] {
        guard let range = room.lost else { return [] }
        var lines = [
            "  Lost: \(room.lostEntries.counting("entry", "entries")), offsets \(range.lowerBound) to "
                + "\(range.upperBound)."
        ]
        let senders = room.lostActions.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !senders.isEmpty {
            let names = senders.prefix(Self.namedSenders).map { sender, count in
                "\(count) of \(sender == "" ? "anonymous" : "'\(sender)'")"
            }
            let more = senders.count > Self.namedSenders ? ", and of others" : ""
            lines.append("  Actions among them: \(names.joined(separator: ", "))\(more).")
        }
        return lines
    }
}
