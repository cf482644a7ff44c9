import Example
import Foundation
import StorecastTesting
import Testing

/// Journals of boards from earlier versions of this package, as they were exported.
///
/// One is added whenever the board's actions or state change; none is ever changed. Each ends with
/// a snapshot, so that reading it compares the whole state.
struct BoardArchiveTests {
    private static var folder: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Vectors/journals")
    }

    static var archives: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.hasPrefix("board-") }.sorted()
        }
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    }

    @Test(arguments: try archives)
    func `boards of every earlier version are what they were`(archive: String) throws {
        try RoomReplay(Board.room).read(text(archive))
    }

    /// The archive was written by hand, its ids and hash by Python's hashlib.
    @Test func `the first version's board is what its actions say`() throws {
        let text = try text("board-1.jsonl")
        // Without the snapshot at the end, that the entries alone may lead there.
        let entries = text.split(separator: "\n").dropLast().joined(separator: "\n")
        let replay = RoomReplay(Board.room)
        try replay.read(entries)
        // Twelve entries: one came twice, two were rejected.
        #expect(replay.version == 9)
        let board = replay.state
        #expect(board.columns.map(\.title) == ["To do", "Doing", "Later", "Done"])
        let cards = board.columns.map { column in board.cards.filter { $0.column == column.id } }
        #expect(
            cards.map { $0.map(\.text) } == [
                ["Read it – \"whole\" 📜"], [], [], ["Write the archive"],
            ])
        #expect(board.columns.map(\.count) == cards.map(\.count))
        let card = try #require(cards[3].first)
        #expect(card.id == "k77s4gc64pkhcdr6ts8jng3fvj")
        #expect(card.author == "ada")
        #expect(card.voters == ["bob"])
        #expect(card.created == Timestamp(secondsSince1970: 1_763_726_401.5))
        #expect(board.chat.map(\.text) == ["Done!"])
        #expect(board.presence.participants.map(\.id) == ["ada"])
    }
}
