import ArgumentParser
import StorecastCluster
import StorecastNATS
import StorecastSQLite
import StorecastTools

/// `storecast cluster import`
struct ClusterImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Bring rooms from a journal's file to NATS.",
        discussion: """
            With all that the file has of them: entries, snapshots, and what is remembered of \
            clients. NATS must not have them yet, and no server may use the file meanwhile. Servers \
            of the cluster may run; they open the rooms once all are there.

              storecast cluster import board.sqlite --cluster nats://10.0.0.1
              storecast cluster import rooms.sqlite --room /a --cluster nats://10.0.0.1
              storecast cluster import board.sqlite --keep-epoch --cluster nats://10.0.0.1

            By default the rooms get new epochs, so that the file may go on being used as well: \
            clients that come from there get everything anew. With --keep-epoch they go on as if \
            nothing had been; nothing may use the file afterwards, except to look at it.

            If it is interrupted, no server opens the rooms. Run it again, and it begins anew.
            """)

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    @OptionGroup var copied: CopiedRooms

    @OptionGroup var options: ClusterCommand.Options

    func run() async throws { try await run(writingTo: StandardOutput.write) }

    func run(writingTo write: (String) -> Void) async throws {
        let counts = try await JournalFile.whileUnused(file) { file in
            let rooms = try rooms(in: file)
            let nats = try options.servers
            let store = try await JetStreamStore.open(nats.configuration, nats.layout)
            do {
                let counts = try await copy(rooms, of: file, to: store)
                await store.close()
                return counts
            } catch {
                await store.close()
                throw error
            }
        }
        write(
            "NATS has \(counts.rooms.counting("room", "rooms")) of '\(file)' now, with "
                + "\(counts.entries.counting("entry", "entries")).")
    }

    /// Those that are wanted.
    private func rooms(in file: JournalFile) throws -> [JournalRoom] {
        if copied.keepEpoch, try file.mayLackEntries() {
            throw CommandFailure(
                .trouble,
                "The machine went down while a server used '\(file.path)', and its newest entries "
                    + "may be gone: clients can't go on as if nothing had been. Leave out "
                    + "--keep-epoch.")
        }
        let all = try file.rooms()
        let names = try copied.chosen(from: all.map(\.name), in: "'\(file.path)'")
        let wanted = Set(names.map { ExactString($0) })
        return all.filter { wanted.contains(ExactString($0.name)) }
    }

    private func copy(
        _ rooms: [JournalRoom], of file: JournalFile, to store: JetStreamStore
    ) async throws -> (rooms: Int, entries: Int) {
        var copy = RoomImport(to: store.rooms, keepsEpochs: copied.keepEpoch)
        for room in rooms {
            guard try await copy.isThere(room.name) else { continue }
            throw CommandFailure(
                .refused, "NATS has the room '\(room.name)' already. Nothing was imported.")
        }
        do {
            for room in rooms {
                var text = try JournalText(of: room, in: file)
                while let line = try text.nextLine() { try await copy.take(line) }
            }
            try await copy.finish()
            return (copy.rooms, copy.entries)
        } catch {
            throw CommandFailure(.trouble, await Self.problem(error, ending: &copy))
        }
    }

    /// What went wrong, and what is at NATS now.
    private static func problem(
        _ error: any Error, ending copy: inout RoomImport
    ) async -> String {
        let left = await copy.discard()
        let failure = (error as? JournalError).map { CommandFailure($0) }
        var text = failure?.description ?? "\(error)"
        if copy.rooms > 0 {
            text +=
                " NATS has \(copy.rooms.counting("room", "rooms")) now, the first by their names; say "
                + "--room to import the others."
        } else {
            text += " Nothing was imported."
        }
        if let first = left.first {
            let others = left.count > 1 ? " and of \(left.count - 1) more" : ""
            text +=
                " Of '\(first)'\(others) a part is there, with which no server opens it: run the "
                + "command again."
        }
        return text
    }
}

/// `storecast cluster export`
struct ClusterExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copy rooms from NATS into a journal's file, new or not.",
        discussion: """
            With all that NATS has of them: entries, snapshots, and what is remembered of clients. \
            Servers may go on; of each room the file has what was there when its turn came. \
            Nothing changes at NATS. All is copied, or nothing.

              storecast cluster export backup.sqlite --cluster nats://10.0.0.1
              storecast cluster export one.sqlite --room /a --cluster nats://10.0.0.1
              storecast journal log one.sqlite --room /a

            The file must not have the rooms yet, and no server may use it meanwhile. Entries count \
            from 1 in it, so their offsets are others than at NATS.

            By default the rooms get new epochs. With --keep-epoch clients go on with the file as \
            if nothing had been: end all servers of the cluster first, and don't start them again.
            """)

    @Argument(help: "The journal's file, made if there is none.", completion: .file())
    var file: String

    @OptionGroup var copied: CopiedRooms

    @OptionGroup var options: ClusterCommand.Options

    /// How often a room is begun anew, as what it began with was forgotten meanwhile.
    private static let mostTries = 10

    func run() async throws { try await run(writingTo: StandardOutput.write) }

    func run(writingTo write: (String) -> Void) async throws {
        let nats = try options.servers
        let reader = try await JetStreamReader.open(nats.configuration, nats.layout)
        let counts: (rooms: Int, entries: Int)
        do {
            guard try await reader.hasStreams() else {
                throw CommandFailure(
                    .refused, NATSError.neverStarted(options.access.natsName).description)
            }
            let names = try copied.chosen(from: try await reader.names(), in: "NATS")
            let (file, keepsEpoch) = (file, copied.keepEpoch)
            counts = try await BlockingThread.run {
                try JournalAddition.run(on: file) { addition in
                    try Self.add(names, of: reader, to: addition, keepsEpoch: keepsEpoch)
                }
            }
            await reader.close()
        } catch {
            await reader.close()
            throw error
        }
        write(
            "'\(file)' has \(counts.rooms.counting("room", "rooms")) of NATS now, with "
                + "\(counts.entries.counting("entry", "entries")).")
    }

    /// Adds rooms; returns how many of them have anything, and their entries.
    private static func add(
        _ names: [String], of reader: JetStreamReader, to addition: JournalAddition,
        keepsEpoch: Bool
    ) throws -> (rooms: Int, entries: Int) {
        var counts = (rooms: 0, entries: 0)
        for name in names {
            let entries = try add(name, of: reader, to: addition, keepsEpoch: keepsEpoch)
            guard let entries else { continue }
            counts.rooms += 1
            counts.entries += entries
        }
        return counts
    }

    /// Adds a room; returns how many entries it has, nil if nothing has happened there.
    private static func add(
        _ name: String, of reader: JetStreamReader, to addition: JournalAddition,
        keepsEpoch: Bool
    ) throws -> Int? {
        if try addition.has(name) {
            throw CommandFailure(
                .refused, "The file has a room '\(name)' already. Nothing was copied.")
        }
        for _ in 0..<mostTries {
            do {
                return try addition.attempt {
                    let room = reader.export(of: name)
                    var text = JournalTextImport(to: addition, keepsEpoch: keepsEpoch)
                    var isThere = false
                    while let lines = try next(of: room) {
                        isThere = true
                        for line in lines { try text.take(line) }
                    }
                    return isThere ? text.entries : nil
                }
            } catch JournalError.truncated(below: _) {}
        }
        throw CommandFailure(
            .trouble,
            "What the room '\(name)' begins with is forgotten faster than it can be read. Try "
                + "again when less happens there.")
    }

    /// The next lines of a room; nil after the last.
    private static func next(of room: RoomExport) throws -> [JournalLine]? {
        do {
            let lines = try BlockingThread.wait { try await room.next() }
            return lines.isEmpty ? nil : lines
        } catch let error as JournalError {
            if case .truncated = error { throw error }
            // Not the file's.
            throw CommandFailure(error)
        }
    }
}

/// Which rooms a command copies, and as what.
struct CopiedRooms: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only this room, by its path; for several, say it several times.", valueName: "path"))
    var room: [String] = []

    @Flag(help: "Keep the rooms' epochs: clients go on as if nothing had been.")
    var keepEpoch = false

    /// Those of all rooms that were named, or all.
    ///
    /// - Parameter place: where they are.
    func chosen(from all: [String], in place: String) throws(CommandFailure) -> [String] {
        guard !all.isEmpty else { throw CommandFailure(.refused, "There is no room in \(place).") }
        let known = Set(all.map { ExactString($0) })
        if let missing = room.first(where: { !known.contains(ExactString($0)) }) {
            throw CommandFailure(.refused, "There is no room '\(missing)' in \(place).")
        }
        let wanted = Set(room.map { ExactString($0) })
        return wanted.isEmpty ? all : all.filter { wanted.contains(ExactString($0)) }
    }
}
