import StorecastTesting
import Testing

// snippet: text-room
import StorecastSync

struct Note: Codable, Equatable, Sendable {
    var text = SharedText()

    static let note = Selection("note") { (note: Note) in note }

    @Sendable static func reduce(_ note: inout Note, _ action: any Action) {
        if let action = action as? EditNote { note.text.apply(action.edit) }
    }

    static let room = RoomDefinition(
        state: Note(), actions: [EditNote.self], selections: [note], reducer: reduce
    )
    .validate(EditNote.self) { note, action, _ in
        try note.text.check(action.edit, longest: 10_000)
    }
}

struct EditNote: SyncAction {
    var edit: TextEdit
}
// end of snippet

// snippet: text-client
@MainActor final class NoteModel {
    private let connection: RemoteConnection
    private let note: RemoteStore<Note>

    init(_ connection: RemoteConnection) {
        self.connection = connection
        note = RemoteStore(Note.note, on: connection, optimistic: Note.reduce)
    }

    var text: String { note.state?.text.text ?? "" }

    /// Somebody has made this of what was shown.
    func write(_ text: String) {
        guard let edit = note.state?.text.edit(by: connection.participant, to: text) else { return }
        note.dispatch(EditNote(edit: edit))
    }
}
// end of snippet

@MainActor struct NoteTests {
    // snippet: text-test
    @Test func `two write without a connection, and both are read`() async {
        let room = TestRoom(Note.room)
        let (phone, tablet) = (room.connect(as: Identity("ada")), room.connect(as: Identity("bob")))
        let (ada, bob) = (NoteModel(phone), NoteModel(tablet))
        await room.settle()
        ada.write("Buy tea.")
        await room.settle()

        room.goOffline(phone)
        room.goOffline(tablet)
        ada.write("Buy tea, and milk.")
        ada.write("Buy tea, and oat milk.")
        bob.write("Please buy tea.")
        #expect(ada.text == "Buy tea, and oat milk.")

        room.goOnline(tablet)
        room.goOnline(phone)
        await room.advance(by: .seconds(30))
        #expect(ada.text == "Please buy tea, and oat milk.")
        #expect(bob.text == ada.text)
    }
    // end of snippet

    @Test func `a text that would be too long is the old one again`() async throws {
        let room = TestRoom(Note.room)
        let model = NoteModel(room.connect(as: Identity("ada")))
        await room.settle()
        model.write("tea")
        await room.settle()
        model.write(String(repeating: "a", count: 10_001))
        await room.settle()
        #expect(model.text == "tea")
        model.write("teas")
        await room.settle()
        #expect(room.state.text.text == "teas")
    }
}
