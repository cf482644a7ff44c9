import ArgumentParser
import Foundation
import StorecastRoom
import StorecastSQLite

/// `storecast journal restore`
struct JournalRestoreCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a backup the journal again, or a replica as it was at any time.",
        discussion: """
            Stop the server first, and start it again behind this.

              storecast journal restore backups/monday.sqlite board.sqlite --replace
              storecast journal restore replica board.sqlite --replace
              storecast journal restore replica then.sqlite --at 2026-11-24T12:00:00Z
              storecast journal restore replica then.sqlite --to 120 --room /boards/lobby

            A backup is a file that `storecast journal backup` made, or the folder of `storecast \
            journal replicate`. Of a folder every segment is checked; it can be restored up to a \
            time, an offset, or the version of a room. All rooms are then as they were at that \
            moment.

            Every room gets a new epoch: what happened since is gone, so clients take their state \
            from the server anew. Actions that were acknowledged since then aren't sent again; \
            those that clients still have in their outboxes are.
            """)

    @Argument(help: "The backup, which stays as it is: a file or a folder.", completion: .file())
    var backup: String

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    @Flag(help: "If the file is there, put the backup in its place and keep it under another name.")
    var replace = false

    @Option(
        help: ArgumentHelp(
            "Only what was taken before this time, such as 2026-11-24T12:00:00Z.",
            valueName: "time"),
        transform: time)
    var at: Timestamp?

    @Option(help: ArgumentHelp("Only the entries up to this offset.", valueName: "offset"))
    var offset: UInt64?

    @Option(
        help: ArgumentHelp("Only what led to this version of a room.", valueName: "version"))
    var to: UInt64?

    @Option(
        help: ArgumentHelp("With --to: which room; by default /.", valueName: "path"))
    var room: String?

    @Option(
        help: ArgumentHelp(
            "A generation of the folder; by default the newest that can be used.",
            valueName: "name"))
    var generation: String?

    func validate() throws {
        if [at == nil, offset == nil, to == nil].filter({ !$0 }).count > 1 {
            throw ValidationError("Say one of --at, --offset and --to.")
        }
        if room != nil, to == nil { throw ValidationError("--room goes with --to.") }
    }

    func run(writingTo write: (String) -> Void) throws {
        let bar = ProgressBar("copying")
        let source = try source
        let result = try CommandFailure.translating {
            try JournalRestore.run(from: source, to: file, replaces: replace) { bar.show($0) }
        }
        bar.end()
        if let kept = result.kept { write("The file that was there is kept as '\(kept)'.") }
        if let replica = result.replica { write(Self.report(replica)) }
        write(
            "'\(file)' is what '\(backup)' was, with a new epoch for every room: clients take their "
                + "state anew.")
    }

    private var source: JournalRestore.Source {
        get throws {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: backup, isDirectory: &isFolder)
            if isFolder.boolValue {
                return .replica(backup, generation: generation, until: point)
            }
            guard at == nil, offset == nil, to == nil, generation == nil else {
                throw CommandFailure(
                    .trouble,
                    "'\(backup)' is the journal at one moment. Restore it as it is; `storecast "
                        + "journal fork` copies a room of it as it was at a version.")
            }
            return .file(backup)
        }
    }

    private var point: RestorePoint {
        if let at { return .time(at) }
        if let offset { return .offset(offset) }
        guard let to else { return .newest }
        let name = room ?? "/"
        return .found { file in
            guard let room = try file.rooms().first(where: { $0.name.isSameText(as: name) }) else {
                throw CommandFailure(.trouble, "There is no room '\(name)' in the replica.")
            }
            var traveller = try RoomTraveller(RecordedRoom(of: file, room), near: .version(to))
            try traveller.go(to: .version(to))
            return try traveller.offset
        }
    }

    private static func report(_ replica: RestoredReplica) -> String {
        let segments = replica.segments.counting("segment", "segments")
        let are = replica.segments == 1 ? "is" : "are"
        let end = replica.time.map { " of \($0.text(inUTC: true))" } ?? ""
        return
            "\(segments) of generation '\(replica.generation)' \(are) good. The newest entry has offset "
            + "\(replica.offset)\(end); "
            + (replica.isCut
                ? "what came later was left out."
                : "what came after \(replica.copied.text(inUTC: true)) wasn't copied.")
    }

    @Sendable private static func time(_ text: String) throws -> Timestamp {
        let styles = [
            Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true),
        ]
        guard let date = styles.lazy.compactMap({ try? $0.parse(text) }).first else {
            throw ValidationError("'\(text)' is no time: write 2026-11-24T12:00:00Z.")
        }
        return Timestamp(secondsSince1970: date.timeIntervalSince1970)
    }
}
