import ArgumentParser
import StorecastSQLite
import StorecastSync

/// `storecast journal verify`
struct JournalVerifyCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract:
            "Check a journal's file: that it is what was written, and leads to the same states.",
        discussion: """
            Every entry and every snapshot is read and compared with its checksum. Where it is known \
            what the actions do, everything is reduced again, twice side by side, and compared with \
            the snapshots; what differs is told with the first action behind which it does.

              storecast journal verify board.sqlite

            Exit status: 0 if everything is right; 1 if something isn't; 2 if the file can't be read.
            """)

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("Only this room; by default all.", valueName: "path"))
    var room: String?

    func run(writingTo write: (String) -> Void) throws {
        let file = try JournalFile.opened(file)
        defer { file.close() }
        let rooms = try file.rooms().filter { room?.isSameText(as: $0.name) ?? true }
        if let room, rooms.isEmpty {
            throw CommandFailure(.trouble, "There is no room '\(room)' in '\(file.path)'.")
        }
        let total = rooms.reduce(0) { $0 + $1.entries }
        let bar = ProgressBar("verifying")
        var (done, failed) = (0, 0)
        for room in rooms {
            var inspection = RoomInspection(RecordedRoom(of: file, room))
            try inspection.run {
                done += 1
                bar.show(Double(done) / Double(total))
            }
            bar.end()
            for line in inspection.report { write(line) }
            if !inspection.isGood { failed += 1 }
        }
        guard failed > 0 else { return }
        throw CommandFailure(
            .refused,
            "Something is wrong with \(failed) of \(rooms.count.counting("room", "rooms")).")
    }
}
