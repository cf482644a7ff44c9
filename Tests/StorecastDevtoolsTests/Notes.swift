import StorecastTesting

/// Notes that are named by the ids of the dispatches that added them.
struct Notes: Codable, Sendable {
    var texts: [String: String] = [:]

    static let count = Selection("count") { (notes: Notes) in notes.texts.count }

    static let room = RoomDefinition(
        state: Notes(), actions: [AddNote.self, EditNote.self], selections: [count]
    ) { notes, action in
        switch action {
        case let add as AddNote: notes.texts[add.stamp.id] = add.text
        case let edit as EditNote: notes.texts[edit.note] = edit.text
        default: break
        }
    }
    .allowAll(.open)
    .validate(EditNote.self) { notes, edit, _ in
        guard notes.texts[edit.note] != nil else {
            throw Rejection(.conflict, "There is no such note.")
        }
    }
}

struct AddNote: Stamped {
    var text: String
    var stamp = Stamp()
}

struct EditNote: SyncAction {
    var note: String
    /// Nil if there is to be no note any more.
    var text: String?
}
