import Example
import StorecastClient
import StorecastSync

/// What the client shows, and what the person is doing with it. No I/O: keys and mirrors' states go
/// in, effects and (through ``BoardScreen``) screens come out.
struct BoardModel: Equatable, Sendable {
    /// How the connection is doing.
    enum Link: Equatable, Sendable {
        case connecting
        case live
        /// Lost, and why; with the seconds until the next try.
        case offline(retryIn: Int, because: String)
        /// Over for good, and why.
        case closed(String)

        init(_ status: RemoteConnection.Status, at time: Timestamp) {
            switch status {
            case .connecting: self = .connecting
            case .live: self = .live
            case .offline(let outage):
                let left = outage.retryAt.secondsSince1970 - time.secondsSince1970
                self = .offline(retryIn: max(0, Int(left.rounded(.up))), because: outage.reason)
            case .closed(let rejection):
                self = .closed(rejection?.description ?? "the connection was closed.")
            }
        }
    }

    /// What keys mean now.
    enum Mode: Equatable, Sendable {
        case browse
        /// Arrows move the selected card.
        case move
        case help
        case typing(Prompt)
        case confirming(Confirmation)
    }

    /// The server's address, as it was given.
    var address: String
    /// The name that the server knows the person by; nil for an anonymous one.
    var user: String?
    /// Stands for this client in the texts that it edits.
    var participant = ""
    /// Seconds that the local time is ahead of UTC.
    var secondsFromGMT = 0

    var columns: [Column] = []
    /// The cards that are shown of the columns that have been mirrored so far.
    var pages: [Column.ID: RowPage<Card>] = [:]
    var chat: [ChatMessage] = []
    var present: [Participant] = []
    var link = Link.connecting
    /// How many of the person's changes the server hasn't answered.
    var unsent = 0

    var cursor = Cursor()
    var mode = Mode.browse
    /// What the person should know now, such as why something was rejected.
    var notice: String?
    /// What was typed in cards and couldn't be saved, to be typed again when nothing else is.
    private(set) var unsaved: [Unsaved] = []

    struct Unsaved: Equatable, Sendable {
        var card: Card.ID
        var typed: String
    }

    init(address: String, user: String?) {
        self.address = address
        self.user = user
    }

    func cards(of column: Column.ID) -> [Card] { pages[column]?.rows ?? [] }

    /// Shows cards of a column; if they are another page, its card that is nearest to the last.
    mutating func show(_ page: RowPage<Card>, of column: Column.ID, turned: PageTurn?) {
        pages[column] = page
        followEdited(page.rows)
        guard let turned, column == selectedColumn?.id else { return }
        select(row: turned == .previous ? page.rows.count - 1 : 0)
    }

    /// Shows what others have made of the text that the person is editing.
    private mutating func followEdited(_ cards: [Card]) {
        guard case .typing(var prompt) = mode, case .editCard(let id) = prompt.purpose,
            let card = cards.first(where: { $0.id == id })
        else { return }
        prompt.follow(card.sharedText, by: participant)
        mode = .typing(prompt)
    }

    /// Says why something wasn't done, and lets the person edit again what they had typed.
    mutating func refuse(_ action: any BoardAction, _ typed: String?, because rejection: Rejection)
    {
        notice = rejection.description
        guard let action = action as? EditCardText, let typed else { return }
        unsaved.append(Unsaved(card: action.card, typed: typed))
        editUnsaved()
    }

    /// Opens a prompt for what couldn't be saved, unless the person is doing something else.
    mutating func editUnsaved() {
        guard mode == .browse, !unsaved.isEmpty, let column = selectedColumn else { return }
        let first = unsaved.removeFirst()
        let card = pages.values.lazy.flatMap(\.rows).first { $0.id == first.card }
        mode = .typing(Prompt(again: first.typed, card: card, column: column.id))
    }

    /// The id under which the person votes and takes cards.
    var userID: String { user ?? "" }
}
