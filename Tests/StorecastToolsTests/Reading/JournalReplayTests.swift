import ArgumentParser
import Example
import StorecastSync
import StorecastTesting
import TestSupport
import Testing

@testable import StorecastTools

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalReplayTests {
    @Test func `entries come in the rhythm in which they happened`() async throws {
        let board = try await ArchivedBoard()
        // Half a minute; the longest pause is the one before Bob leaves.
        #expect(
            try dues(board, ReplayPace(ReplaySpeed(1), longestPause: nil)) == [
                0, 1.5, 2, 3, 4, 4, 5, 6, 7.25, 8, 9, 30,
            ])
        #expect(
            try dues(board, ReplayPace(ReplaySpeed(2), longestPause: 2)) == [
                0, 0.75, 1, 1.5, 2, 2, 2.5, 3, 3.625, 4, 4.5, 6.5,
            ])
        #expect(
            try dues(board, ReplayPace(ReplaySpeed(.infinity), longestPause: nil))
                == Array(repeating: 0, count: 12))
    }

    @Test func `times that make no sense hold nothing up`() {
        var pace = ReplayPace(ReplaySpeed(1), longestPause: nil)
        let times: [Double] = [100, 50, 51, .nan, 3, 1e300, 4, .infinity, 5]
        #expect(
            times.map { pace.due(Timestamp(secondsSince1970: $0)) } == [
                .zero, .zero, .seconds(1), .seconds(1), .seconds(1), .seconds(1_000_001),
                .seconds(1_000_001), .seconds(2_000_001), .seconds(2_000_001),
            ])
    }

    @Test func `entries are printed as in the log`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [4])
        #expect(
            try await replay(board, "--utc", "--from", "6", "--to", "7") == [
                "  version    offset  time                      sender      actions",
                "        6         9  2025-11-21T12:00:07.250Z  ada         "
                    + #"MoveCard {"card":"k77s4gc64pkhcdr6ts8jng3fvj","column":"done"}; "#
                    + #"Say {"text":"Done!"}"#,
                "        7        10  2025-11-21T12:00:08.000Z  bob         "
                    + #"AddColumn {"title":"Later","before":"done"}"#,
            ])
    }

    @Test func `or the states behind them`() async throws {
        let board = try await ArchivedBoard()
        let lines = try await replay(board, "--states", "--json")
        let values = try lines.map { try JSON(parsing: $0) }
        #expect(values.map { $0["v"]?.int } == Array(1...9))
        let replay = RoomReplay(Board.room)
        try replay.read(ArchivedBoard.lines.joined(separator: "\n"))
        #expect(try values.last?["value"] == replay.tree())
    }

    @Test(arguments: [
        ("1", 1.0), ("0.5", 0.5), ("1e3", 1000), ("max", .infinity), ("inf", .infinity),
    ])
    func `a speed is a number or max`(text: String, factor: Double) {
        #expect(ReplaySpeed(argument: text)?.factor == factor)
    }

    @Test(arguments: ["0", "-1", "nan", "fast", ""])
    func `anything else isn't`(text: String) {
        #expect(ReplaySpeed(argument: text) == nil)
    }

    private func dues(_ board: ArchivedBoard, _ pace: ReplayPace) throws -> [Double] {
        try KnownRooms.$current.withValue(KnownRooms { _, _ in Board.room }) {
            let room = try JournalRoomOptions.parse([board.path]).open()
            defer { room.close() }
            var playback = try RoomPlayback(of: room, from: nil, to: nil, pace: pace)
            var dues: [Double] = []
            while let next = try playback.next() { dues.append(next.due / .seconds(1)) }
            return dues
        }
    }

    private func replay(_ board: ArchivedBoard, _ arguments: String...) async throws -> [String] {
        let command = try JournalReplayCommand.parse([board.path, "--speed", "max"] + arguments)
        var lines: [String] = []
        try await KnownRooms.$current.withValue(KnownRooms { _, _ in Board.room }) {
            let room = try command.room.open()
            defer { room.close() }
            try await command.part.play(room, writingTo: { lines.append($0) })
        }
        return lines
    }
}
