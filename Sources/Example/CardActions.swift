public import StorecastSync

/// Adds a card, whose id is the id of the stamp.
public struct AddCard: Stamped, BoardAction, Equatable {
    /// The column that it goes to.
    public var column: Column.ID
    /// What is to be done.
    public var text: String
    /// The card to put it above; nil, or one that isn't there: at the bottom.
    public var before: Card.ID?
    /// Who did it and when, set by the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(column: Column.ID, text: String, before: Card.ID? = nil) {
        self.column = column
        self.text = text
        self.before = before
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try BoardLimits.check(text, "text", limit: BoardLimits.text)
        try board.require(column: column).requireRoom()
    }

    package func apply(to board: inout Board) {
        guard let place = board.index(ofColumn: column) else { return }
        let card = Card(
            id: stamp.id, column: column, text: text, author: stamp.sender.id, created: stamp.time)
        board.place(card, in: place, before: before)
    }
}

/// Gives a card another text; of two who do so at once, the later one wins.
///
/// For clients that don't know what the text was before. Others dispatch ``EditCardText``.
public struct EditCard: SyncAction, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// The new text.
    public var text: String
    /// True in actions from before texts were shared. They aren't counted as edits, as snapshots
    /// from that time don't have any; whoever had begun one is told that the text is another.
    var unshared: Bool?

    /// An action to dispatch.
    public init(card: Card.ID, text: String) {
        self.card = card
        self.text = text
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try BoardLimits.check(text, "text", limit: BoardLimits.text)
        try board.require(card: card)
    }

    package func apply(to board: inout Board) {
        board.update(card) { card in
            if unshared == true {
                card.replaceText(unshared: text)
            } else {
                card.replaceText(with: text)
            }
        }
    }
}

/// Changes a card's text, and keeps what others have changed in it meanwhile.
///
/// ```swift
/// if let edit = card.sharedText.edit(by: connection.participant, to: field.text) {
///     connection.dispatch(EditCardText(card: card.id, edit: edit))
/// }
/// ```
public struct EditCardText: SyncAction, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// What is changed, made of the ``Card/sharedText`` that was shown.
    public var edit: TextEdit

    /// An action to dispatch.
    public init(card: Card.ID, edit: TextEdit) {
        self.card = card
        self.edit = edit
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        _ = try board.require(card: card).applying(edit)
    }

    package func apply(to board: inout Board) {
        board.update(card) { card in
            if let shared = try? card.applying(edit) { card.take(shared) }
        }
    }
}

/// Assigns a card to a user.
public struct AssignCard: SyncAction, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// The id of the user who does it; nil for nobody.
    public var assignee: String?

    /// An action to dispatch.
    public init(card: Card.ID, assignee: String?) {
        self.card = card
        self.assignee = assignee
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        if let assignee {
            try BoardLimits.check(name: assignee, "assignee")
        }
        try board.require(card: card)
    }

    package func apply(to board: inout Board) {
        board.update(card) { $0.assignee = assignee }
    }
}

/// Puts a card in another place, in its column or another one.
///
/// A place is named by the card below it, not by a number, so that it means the same when others
/// add, move and remove cards at the same time.
public struct MoveCard: SyncAction, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// The column that it goes to.
    public var column: Column.ID
    /// The card to put it above; nil, or one that isn't there: at the bottom.
    public var before: Card.ID?

    /// An action to dispatch.
    public init(card: Card.ID, column: Column.ID, before: Card.ID? = nil) {
        self.card = card
        self.column = column
        self.before = before
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        let card = try board.require(card: card)
        let target = try board.require(column: column)
        if !card.column.isSameText(as: target.id) { try target.requireRoom() }
    }

    package func apply(to board: inout Board) {
        guard before?.isSameText(as: card) != true, let moved = board.cards[id: card],
            let target = board.index(ofColumn: column)
        else { return }
        board.place(moved, in: target, before: before)
    }
}

/// Takes a card off the board.
public struct RemoveCard: SyncAction, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID

    /// An action to dispatch.
    public init(card: Card.ID) {
        self.card = card
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try board.require(card: card)
    }

    package func apply(to board: inout Board) {
        guard let removed = board.cards.remove(id: card) else { return }
        board.votes -= removed.voters.count
        if let column = board.index(ofColumn: removed.column) { board.columns[column].count -= 1 }
    }
}

/// Votes for a card.
///
/// A user has one vote for each card: a second one is taken, and changes nothing. All anonymous
/// users together count as one.
public struct Vote: Stamped, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// Who did it and when, set by the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(card: Card.ID) {
        self.card = card
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        let card = try board.require(card: card)
        guard card.voters.count < BoardLimits.votesPerCard || card.voters.contains(sender.id) else {
            throw Rejection(
                .conflict, "The card has all the votes that it can have.",
                detail: "At most \(BoardLimits.votesPerCard) votes.")
        }
    }

    package func apply(to board: inout Board) {
        var isNew = false
        board.update(card) { card in
            isNew = !card.voters.contains(stamp.sender.id)
            if isNew { card.voters.append(stamp.sender.id) }
        }
        if isNew { board.votes += 1 }
    }
}

/// Takes back the sender's vote for a card, if there is one.
public struct Unvote: Stamped, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// Who did it and when, set by the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(card: Card.ID) {
        self.card = card
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try board.require(card: card)
    }

    package func apply(to board: inout Board) {
        var count = 0
        board.update(card) { card in
            count = card.voters.count
            card.voters.removeAll { $0 == stamp.sender.id }
            count -= card.voters.count
        }
        board.votes -= count
    }
}
