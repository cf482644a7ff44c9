import Counter
import Example
import StorecastRecorder
import StorecastServer
import StorecastSync
import StorecastTools
import Testing

/// What `Recovery.md` and `Web.md` show.
@MainActor struct RecoveryTests {
    @Test func `a journal's text is gone through`() throws {
        let journal = #"{"journal":"storecast","format":1,"room":"/","epoch":"c0ffee"}"#
        let entries = (1...12).map { number in
            #"{"offset":\#(number),"time":\#(number),"sender":{"id":"ada"},"client":"#
                + #""6f1d3a5c9b7e42d08a4c1e6b5f927d30","seq":\#(number),"base":0,"settled":0,"#
                + #""seed":"7","schema":1,"actions":[{"type":"Say","payload":{"text":"Hi"}}]}"#
        }
        let lines = Array(([journal] + entries).joined(separator: "\n").utf8)
        // snippet: recorder
        let store = Store(state: Board(), reducer: Board.reduce)
        let recorder = Recorder(store)
        try recorder.load(journal: lines, of: Board.room)  // in UTF-8: Array(Data(contentsOf: url))
        recorder.travel(to: 12)
        print(store.state.chat)
        // end of snippet
        #expect(recorder.position == 12)
        #expect(store.state.chat.count == 12)
    }
}

/// A program's last line.
func lookIntoJournals() async {
    // snippet: tools
    await RoomTools.main { path in path == "/" ? Counter.serverRoom : nil }
    // end of snippet
}

/// A program with pages of its own.
func servePages() async throws {
    let counter = Counter.room
    // snippet: pages
    try await SyncServer(room: counter, pages: try .folder("Site")).run()
    // end of snippet
}
