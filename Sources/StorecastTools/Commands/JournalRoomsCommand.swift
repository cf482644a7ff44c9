import ArgumentParser
import StorecastSQLite
import StorecastSync

/// `storecast journal rooms`
struct JournalRoomsCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "rooms", abstract: "List the rooms in a journal's file.",
        discussion: """
            For each room how many entries are kept and behind which offset, if not all are; how many \
            snapshots, and of which version the newest is; and when the last thing happened.

              storecast journal rooms board.sqlite
              storecast journal rooms board.sqlite --json
            """)

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    @Flag(help: "Print one line of JSON for every room.")
    var json = false

    @Flag(help: "Print times in UTC.")
    var utc = false

    func run(writingTo write: (String) -> Void) throws {
        let file = try JournalFile.opened(file)
        defer { file.close() }
        if !json { write(RoomSummary.header(inUTC: utc)) }
        for room in try file.rooms() {
            let summary = try RoomSummary(of: RecordedRoom(of: file, room))
            write(json ? "\(summary.json)" : summary.line(inUTC: utc))
        }
    }
}

/// A room of a journal's file as one line.
struct RoomSummary {
    private let room: JournalRoom
    private let newest: JournalFileEntry?
    private let snapshots: [(offset: UInt64, version: UInt64, bytes: Int)]

    init(of recorded: RecordedRoom) throws {
        room = recorded.room
        snapshots = try recorded.file.snapshots(of: room.name)
        let offset = try recorded.file.offset(beforeLast: 1, of: room.name)
        newest = try recorded.file.entries(of: room.name, after: offset, limit: 1).first
    }

    static func header(inUTC: Bool) -> String {
        line("entries", "kept", "snapshots", "newest".column(inUTC ? 24 : 29), "room")
    }

    func line(inUTC: Bool) -> String {
        let version = snapshots.last.map { " (v\($0.version))" } ?? ""
        let time =
            switch newest {
            case nil: "never"
            case let entry? where entry.isIntact: entry.record?.time.text(inUTC: inUTC) ?? ""
            default: "damaged"
            }
        return Self.line(
            "\(room.entries)", room.floor == 0 ? "all" : "after \(room.floor)",
            "\(snapshots.count)" + version, time.column(inUTC ? 24 : 29), room.name.onOneLine)
    }

    private static func line(
        _ entries: String, _ kept: String, _ snapshots: String, _ newest: String, _ room: String
    ) -> String {
        [
            entries.column(9, alignedRight: true), kept.column(12, alignedRight: true),
            snapshots.column(12, alignedRight: true), newest, room,
        ].joined(separator: "  ")
    }

    /// The same for programs, with the room's epoch.
    var json: JSON {
        var json: JSON = [
            "room": .string(room.name), "epoch": .string(room.epoch),
            "entries": .int(Int64(room.entries)), "floor": .uint(room.floor),
            "head": .uint(room.head),
            "snapshots": .array(
                snapshots.map { snapshot in
                    [
                        "offset": .uint(snapshot.offset), "version": .uint(snapshot.version),
                        "bytes": .int(Int64(snapshot.bytes)),
                    ]
                }),
        ]
        json["newest"] = newest?.record.map { .double($0.time.secondsSince1970) }
        return json
    }
}
