import StorecastServer

/// What the benchmarks' rooms hold: a tally, and a panel with a note in it.
struct Desk: Codable, Sendable {
    var tally = 0
    var panel = Panel()

    struct Panel: Codable, Equatable, Sendable {
        var title = "A panel"
        var note = ""
        /// Longer than a patch of the note, so that the patch is what is sent.
        var lines = (1...24).map { "line \($0) of the panel" }
    }

    static let tally = Selection("tally") { (desk: Desk) in desk.tally }
    static let panel = Selection("panel") { (desk: Desk) in desk.panel }

    static let room = RoomDefinition(
        state: Desk(), actions: [Vote.self, WriteNote.self], selections: [tally, panel],
        reducer: reduce)

    @Sendable static func reduce(_ desk: inout Desk, _ action: any Action) {
        switch action {
        case let vote as Vote: desk.tally += vote.by
        case let write as WriteNote:
            desk.panel.note = write.text + "\(desk.tally)"
            desk.tally += 1
        default: break
        }
    }
}

/// A small action.
struct Vote: SyncAction {
    var card = "card-000123"
    var by = 1
}

/// An action that carries a text.
struct WriteNote: SyncAction {
    var text: String
}
