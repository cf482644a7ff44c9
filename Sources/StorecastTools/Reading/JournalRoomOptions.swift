import ArgumentParser
import StorecastSQLite

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
