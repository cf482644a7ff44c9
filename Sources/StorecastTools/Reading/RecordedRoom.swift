import StorecastSQLite
import StorecastRoom

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

    /// What reduces its entries; throws what to do if that isn't known.
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
