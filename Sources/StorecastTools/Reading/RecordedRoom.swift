import ArgumentParser
package import StorecastSQLite
package import StorecastRoom
package import StorecastSync

extension JournalFile {
    /// The file that a command was given.
    static func opened(_ path: String) throws(CommandFailure) -> JournalFile {
        do throws(JournalError) {
            return try JournalFile(path)
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// A room in a journal's file.
struct RecordedRoom {
    let file: JournalFile
    let room: JournalRoom

    var name: String { room.name }

    init(of file: JournalFile, _ room: JournalRoom) {
        self.file = file
        self.room = room
    }

    func close() { file.close() }

    /// The room's definition; throws what to do if it isn't known.
    func definition() throws -> any RoomDefinitionProtocol {
        guard let definition = try KnownRooms.current.definition(name, file) else {
            throw CommandFailure(
                .trouble,
                "What the actions of room '\(name)' do isn't known here, only that they happened. "
                    + "A program that has the room's definition has this command for it, if it "
                    + "calls RoomTools.main.")
        }
        return definition
    }

    /// The snapshot at an offset; nil if it isn't what was written.
    func snapshot(at offset: UInt64) throws(JournalError) -> JournalSnapshot? {
        let kept = try file.snapshot(of: name, through: offset)
        return kept?.offset == offset ? kept : nil
    }
}

/// The rooms whose definitions this program knows.
///
/// A struct, because with a bare function as the task-local value the release build crashed in
/// `swift_task_localValuePush` (Swift 6.3, cause unknown).
package struct KnownRooms: Sendable {
    /// A room's definition; nil if it isn't known. `file` has the room's journal, if there is one.
    /// May throw a ``CommandFailure`` that says more.
    package typealias Definition =
        @Sendable (_ room: String, _ file: JournalFile?) throws -> (any RoomDefinitionProtocol)?

    /// The limits of the server that wrote the file: whether an action counted may depend on how
    /// many clients it remembers.
    package let limits: SyncLimits
    package let definition: Definition

    package init(limits: SyncLimits = SyncLimits(), definition: @escaping Definition) {
        self.limits = limits
        self.definition = definition
    }

    @TaskLocal package static var current = KnownRooms { _, _ in nil }
}

/// Which room of which file a command reads.
struct JournalRoomOptions: ParsableArguments {
    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "Which room, by its path; by default /, or the only one.", valueName: "path"))
    var room: String?

    /// Opens the file, which the caller closes.
    func open() throws -> RecordedRoom {
        let file = try JournalFile.opened(file)
        do {
            return RecordedRoom(of: file, try chosen(from: try file.rooms()))
        } catch {
            file.close()
            throw error
        }
    }

    private func chosen(from rooms: [JournalRoom]) throws(CommandFailure) -> JournalRoom {
        let found = rooms.first { $0.name.isSameText(as: room ?? "/") }
        if let found { return found }
        if room == nil, rooms.count == 1 { return rooms[0] }
        guard !rooms.isEmpty else {
            throw CommandFailure(.trouble, "There is no room in '\(file)'.")
        }
        let names = rooms.prefix(5).map { "'\($0.name.onOneLine.excerpt())'" }.joined(
            separator: ", ")
        let more = rooms.count > 5 ? " and \(rooms.count - 5) more" : ""
        throw CommandFailure(
            .trouble,
            "There is no room '\(room ?? "/")' in '\(file)'. Say --room with one that is there: "
                + "\(names)\(more).")
    }
}
