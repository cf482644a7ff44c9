import GRDB
import StorecastSync

/// What was done about a damaged journal's file.
package struct JournalRepair: Sendable {
    /// What became of a room.
    package struct Room: Sendable {
        package let name: String
        /// Whether everything of it is there, so that its epoch is the same.
        package var isWhole = false
        /// How many entries are kept.
        package var kept = 0
        /// The newest entry that is kept, or is in the snapshot with which the history begins now.
        /// Nil if nothing of the room is kept.
        package var head: UInt64?
        /// The snapshot with which the history begins now, as entries before it are damaged; nil if
        /// it begins where it did.
        package var start: (offset: UInt64, version: UInt64)?
        /// How many entries are no longer there but in effect, as that snapshot holds them.
        package var forgotten = 0
        /// How many entries that could be read are lost, damaged or behind what is.
        package var lostEntries = 0
        /// From where to where they were.
        package var lost: ClosedRange<UInt64>?
        /// How many of them that aren't rejections, as far as they can be read, are from each
        /// sender.
        package var lostActions: [ExactString: Int] = [:]

        init(name: String) {
            self.name = name
        }
    }

    /// In the order of their names.
    package let rooms: [Room]
    /// The offsets behind which nothing can be read: whose entries they were can't be told.
    package let unreadable: [ClosedRange<UInt64>]
    /// How many entries that can be read are lost because whose they are can't.
    package let strays: Int
    /// How many snapshots were damaged.
    package let badSnapshots: Int
    /// What the damaged file is called now.
    package let damagedFile: String

    /// Puts a file in order that no server is using.
    ///
    /// What is good is written to a new file, which then takes the old one's place; the old one is
    /// kept. Of each room the newest good state is kept: everything up to the first damage, or the
    /// newest good snapshot behind that and the entries that follow it. A room that isn't whole
    /// gets another epoch. Takes as long as reading the file twice and writing it once.
    ///
    /// - Returns: nil, and nothing was done, if the file is sound.
    /// - Throws: `unavailable` if the file is in use, or there is no space for the new one;
    ///   `damaged` if SQLite can read nothing of it.
    package static func run(on file: String) throws -> JournalRepair? {
        let path = StoreFile.canonicalPath(file)
        guard StoreFile.exists(path) else {
            throw JournalError.unavailable("There is no file '\(path)'.")
        }
        return try StoreEditing.locked(path) {
            let new = StoreFile.unfinished(path)
            guard let (salvage, rooms) = try salvage(path, to: new) else {
                // What is opened for reading alone leaves SQLite's other files behind.
                try JournalFile(path).close()
                return nil
            }
            return JournalRepair(
                rooms: rooms, unreadable: salvage.gaps, strays: salvage.strays,
                badSnapshots: salvage.badSnapshots,
                damagedFile: try KeptFile.replace(path, by: new, keptAs: "damaged"))
        }
    }

    /// Writes what is good to a file at `new`; nil, and there is none, if everything is.
    private static func salvage(
        _ path: String, to new: String
    ) throws -> (JournalSalvage, [Room])? {
        let queue = try DatabaseQueue(path: path, configuration: configuration(path))
        defer { try? queue.close() }
        // Without a transaction, which doesn't end well when something couldn't be read.
        return try queue.unsafeRead { source in
            let salvage = try JournalSalvage(of: source)
            if salvage.isSound { return nil }
            let rooms = try StoreEditing.write(to: new) { target in
                try StoreSession.copy(from: source, to: target)
                var copy = try SalvageCopy(salvage, to: target)
                return try copy.run(from: source)
            }
            return (salvage, rooms)
        }
    }

    /// Without writing to the file, nor to its log when it is closed.
    private static func configuration(_ path: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = "storecast-journal-repair"
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            if try StoreSchema.isNew(database, path) {
                throw JournalError.damaged("'\(path)' is an empty file, not a journal.")
            }
        }
        return configuration
    }
}
