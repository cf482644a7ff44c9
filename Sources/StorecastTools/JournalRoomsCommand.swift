import ArgumentParser
import StorecastSQLite
import StorecastSync

/// `storecast journal rooms`
struct JournalRoomsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rooms", abstract: "List the rooms in a journal's file.")

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    func run() throws {
        let file = try JournalFile.opened(file)
        defer { file.close() }
        do throws(JournalError) {
            for room in try file.rooms() {
                StandardOutput.write("\(room.name)  \(room.entries) entries, epoch \(room.epoch)")
            }
        } catch {
            throw CommandFailure(error)
        }
    }
}
