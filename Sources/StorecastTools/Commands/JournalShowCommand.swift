import ArgumentParser
import StorecastSQLite
import StorecastRoom

/// `storecast journal show`
struct JournalShowCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print one entry in full, and what it changed.",
        discussion: """
            The entry that led to a version, or the one at an offset, as rejected ones led to none.

              storecast journal show board.sqlite 12
              storecast journal show board.sqlite --offset 17 --json

            With --json it is what `storecast journal log --json` prints, with the member "patch" (RFC \
            6902) from the state before to the one behind.
            """)

    @OptionGroup var room: JournalRoomOptions

    @Argument(help: "The version to which the entry led.")
    var version: UInt64?

    @Option(help: ArgumentHelp("The entry's offset.", valueName: "offset"))
    var offset: UInt64?

    @Flag(help: "Print one line of JSON.")
    var json = false

    @Flag(help: "Print the time in UTC.")
    var utc = false

    func validate() throws {
        guard (version == nil) != (offset == nil) else {
            throw ValidationError("Say a version or --offset.")
        }
        if version == 0 {
            throw ValidationError(
                "No entry led to version 0, with which a room begins; `storecast journal state` has "
                    + "its state.")
        }
        if offset == 0 { throw ValidationError("Offsets begin at 1.") }
    }

    func run(writingTo write: (String) -> Void) throws {
        let room = try room.open()
        defer { room.close() }
        let shown =
            if let version {
                try ShownEntry(of: room, leadingTo: version)
            } else {
                try ShownEntry(of: room, at: offset ?? 0)
            }
        if json { return write("\(try shown.json)") }
        for line in try shown.lines(inUTC: utc) { write(line) }
    }
}

/// An entry and the change that it made.
struct ShownEntry {
    private let travelled: TravelledEntry
    /// The state before it, and the change; a failure says why they aren't known.
    private let change: Result<(before: JSON, patch: JSONPatch), any Error>

    /// The entry that led to a version, at least 1.
    init(of room: RecordedRoom, leadingTo version: UInt64) throws {
        var traveller = try RoomTraveller(room, near: .version(version - 1))
        try traveller.go(to: .version(version - 1))
        var shown: ShownEntry
        repeat {
            guard let next = try ShownEntry(&traveller) else {
                // Throws that the version wasn't reached.
                try traveller.go(to: .version(version))
                throw CommandFailure(.trouble, "Nothing led to version \(version).")
            }
            shown = next
        } while try traveller.version < version
        self = shown
    }

    /// The entry at an offset, at least 1.
    init(of room: RecordedRoom, at offset: UInt64) throws {
        var traveller = try RoomTraveller(room, near: .offset(offset - 1))
        try traveller.go(to: .offset(offset - 1))
        guard let shown = try ShownEntry(&traveller), shown.travelled.entry.offset == offset else {
            throw CommandFailure(
                .trouble,
                "Room '\(room.name)' has no entry at offset \(offset), or no longer. The offsets of "
                    + "those that it has are in `storecast journal log`.")
        }
        self = shown
    }

    /// The next entry.
    private init?(_ traveller: inout RoomTraveller) throws {
        let before = Result { [traveller] in try traveller.state }
        guard let next = try traveller.next() else { return nil }
        travelled = next
        change = Result { [traveller] in
            let before = try before.get()
            return (before, JSONPatch.diff(from: before, to: try traveller.state))
        }
    }

    /// As `log --json` prints it, and the patch.
    var json: JSON {
        get throws {
            var json = try travelled.json
            if case .success(let change) = change { json["patch"] = try change.patch.json }
            return json
        }
    }

    /// For people.
    func lines(inUTC: Bool) throws -> [String] {
        guard let record = travelled.entry.record else {
            return ["offset   \(travelled.entry.offset)", "The entry can't be read."]
        }
        var lines = place + Self.origin(record, inUTC: inUTC)
        for (index, action) in record.actions.enumerated() {
            let id = stampID(client: record.client, seq: record.seq, index: index)
            lines += ["", "\(action.type.onOneLine), stamp \(id)", Self.payload(action)]
        }
        if let refused = record.refused {
            let size = refused.bytes.counting("byte", "bytes")
            lines += [
                "", "\(refused.type.onOneLine), refused, \(size)",
                refused.summary.onOneLine,
            ]
        }
        return try lines + [""] + changes
    }

    private var place: [String] {
        let offset = "offset   \(travelled.entry.offset)"
        let damage = ["damaged  It isn't what was written, or not behind what was before it."]
        return switch travelled.replayed?.outcome {
        case _ where !travelled.entry.isIntact: [offset] + damage
        case .reduced: ["version  \(travelled.replayed?.version ?? 0)", offset]
        case .duplicate: [offset, "outcome  passed over, as it came before"]
        case .rejected, nil:
            [offset] + (travelled.rejection.map { ["outcome  rejected (\($0.code)): \($0)"] } ?? [])
        }
    }

    private static func origin(_ record: JournalRecord, inUTC: Bool) -> [String] {
        let roles = record.sender.roles.sortedExactly().joined(separator: ", ").onOneLine
        return [
            "time     \(record.time.text(inUTC: inUTC))",
            "sender   \(record.senderName)" + (roles.isEmpty ? "" : " (\(roles))"),
            "client   \(record.client.onOneLine)",
            "number   \(record.seq) of the client's, which had seen version \(record.base) and the "
                + "outcomes up to \(record.settled)",
            "seed     \(record.seed)",
            "schema   \(record.schema)",
        ]
    }

    private static func payload(_ action: JournalAction) -> String {
        let json = try? JSONDocument(action.payload, limits: .trusted).root.json
        return json?.prettyText ?? String(decoding: action.payload, as: UTF8.self)
    }

    private var changes: [String] {
        get throws {
            switch change {
            case .success(let change) where change.patch.isEmpty: ["It changed nothing."]
            case .success(let change):
                ["It changed:"] + (try ChangeText.lines(of: change.patch, from: change.before))
            case .failure(let error): ["What it changed isn't known: \(error)"]
            }
        }
    }
}
