import Example
import StorecastRecorder
import StorecastRoom
import StorecastTesting
import StorecastTools
import TestSupport
import Testing

/// A recorded room, opened in the Recorder.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct RecorderJournalTests {
    private let store = Store(state: Board(), reducer: Board.reduce)
    private let recorder: Recorder<Board>

    init() {
        recorder = Recorder(store)
    }

    @Test func `every state of the room is travelled to`() throws {
        try recorder.load(journal: archive(), of: Board.room)
        // Nine versions, of which the sixth has two actions and the eighth none.
        #expect(recorder.actions.count == 9)
        #expect(recorder.position == 9)
        let replay = RoomReplay(Board.room)
        try replay.read(archive())
        #expect(store.state == replay.state)
        recorder.travel(to: 2)
        #expect(store.state.cards.map(\.id) == ["k77s4gc64pkhcdr6ts8jng3fvj"])
        #expect(store.state.cards[0].author == "ada")
        #expect(store.state.chat.isEmpty)
        recorder.travel(to: 0)
        #expect(store.state == Board())
        recorder.travel(toTime: .seconds(7.25))
        #expect(store.state.chat.map(\.text) == ["Done!"])
        #expect(store.state.columns.count == 3)
    }

    @Test func `actions have the times at which they happened`() throws {
        try recorder.load(journal: archive(), of: Board.room, goingTo: 0)
        #expect(
            recorder.actions.map { $0.time / .seconds(1) }
                == [0, 1.5, 2, 3, 4, 7.25, 7.25, 8, 30])
    }

    @Test func `a text that begins with a snapshot begins with its state`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [9])
        let lines = try board.export("--from", "6")
        try recorder.load(journal: text(lines), of: Board.room)
        #expect(recorder.actions.count == 2)
        recorder.travel(to: 0)
        #expect(store.state.chat.map(\.text) == ["Done!"])
        #expect(store.state.columns.count == 3)
        recorder.stepForward()
        #expect(store.state.columns.map(\.title) == ["To do", "Doing", "Later", "Done"])
    }

    @Test func `a room that was reverted is followed through that`() async throws {
        let room = Board.room.revertible()
        let lines = try ArchivedBoard.lines
        let second = RoomReplay(room)
        try second.read(text(lines.prefix(3)))
        let payload: JSON = ["version": 2, "state": try second.tree()]
        let later = [
            line(13, "4", #"{"type":"storecast.revert","payload":\#(payload)}"#),
            line(14, "5", #"{"type":"Say","payload":{"text":"As it was"}}"#),
        ]
        try recorder.load(journal: text(lines + later), of: room)
        #expect(recorder.actions.count == 11)
        #expect(store.state.columns == second.state.columns)
        #expect(store.state.chat.map(\.text) == ["As it was"])
        recorder.travel(to: 9)
        #expect(store.state.chat.map(\.text) == ["Done!"])
        recorder.stepForward()
        #expect(store.state == second.state)
    }

    @Test func `a text that can't be used leaves the recording as it is`() throws {
        store.dispatch(Say(text: "Mine"))
        let header = #"{"journal":"storecast","format":1,"room":"/","epoch":"e"}"#
        let error = #expect(throws: JournalTextError.self) {
            try recorder.load(journal: text([header, "no JSON"]), of: Board.room)
        }
        #expect(error?.line == 2)
        #expect(recorder.actions.count == 1)
        #expect(store.state.chat.map(\.text) == ["Mine"])
    }

    private func archive() throws -> [UInt8] { text(try ArchivedBoard.lines) }

    private func text(_ lines: some Sequence<String>) -> [UInt8] {
        Array(lines.joined(separator: "\n").utf8)
    }

    /// A line with an entry of the server's.
    private func line(_ offset: Int, _ seq: String, _ action: String) -> String {
        #"{"offset":\#(offset),"time":1763726440,"sender":{"id":"server"},"#
            + #""client":"b6c1f0d2a3e44f5586978899aabbccdd","seq":\#(seq),"base":9,"settled":3,"#
            + #""seed":"1","schema":2,"actions":[\#(action)]}"#
    }
}
