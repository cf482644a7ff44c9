import ArgumentParser
import StorecastSQLite
import StorecastRoom

/// `storecast journal repair`
struct JournalRepairCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Make a damaged journal's file usable again, and say what is lost.",
        discussion: """
            Of each room the newest good state is kept: everything up to the first damage, or the \
            newest good snapshot behind that and the entries that follow it. The damaged file is \
            kept beside it, as board.sqlite-damaged-1. Stop the server first.

              storecast journal repair board.sqlite

            Rooms that lost something get a new epoch, so that clients take their state from the \
            server anew. If there is a recent backup, `storecast journal restore` may lose less.
            """)

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    func run(writingTo write: (String) -> Void) throws {
        let repair = try CommandFailure.translating { try JournalRepair.run(on: file) }
        for line in repair.map({ RepairReport($0, of: file).lines }) ?? ["'\(file)' is sound."] {
            write(line)
        }
    }
}

/// The output of `storecast journal repair`.
struct RepairReport {
    /// At most this many senders of lost actions are named.
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

    /// The version of a room now; nil if its definition isn't known here.
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

/// `storecast journal skip`
struct JournalSkipCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "skip",
        abstract: "Have a room go on without an entry that its reducer can't take.",
        discussion: """
            The entry stays where it is, and counts as rejected (internal) from now on: for servers, \
            clients that still ask for its outcome, and all of these commands. This can't be taken \
            back. Stop the server first.

              storecast journal skip board.sqlite --offset 17

            An entry whose effect is in a snapshot was reduced, and can't be skipped.
            """)

    @OptionGroup var place: JournalRoomOptions

    @Option(help: ArgumentHelp("The entry's offset.", valueName: "offset"))
    var offset: UInt64

    func validate() throws {
        if offset == 0 { throw ValidationError("Offsets begin at 1.") }
    }

    func run(writingTo write: (String) -> Void) throws {
        let recorded = try place.open()
        let room = recorded.name
        recorded.close()
        let types = try CommandFailure.translating {
            try JournalSkip.run(on: place.file, room: room, offset: offset)
        }
        write(
            "Room '\(room)' goes on without the entry at offset \(offset) (\(types.onOneLine)).")
    }
}
