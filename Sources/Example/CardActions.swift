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
public struct EditCard: Stamped, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// The new text.
    public var text: String
    /// True in actions from before texts were shared. They aren't counted as edits, as snapshots
    /// from that time don't have any; whoever had begun one is told that the text is another.
    var unshared: Bool?
    /// True in actions from before there were histories: snapshots from that time have none.
    var unrecorded: Bool?
    /// Who did it and when, set by the server.
    public var stamp = Stamp()

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
        guard board.cards.contains(id: card) else { return }
        board.update(card) { card in
            if unshared == true {
                card.replaceText(unshared: text)
            } else {
                card.replaceText(with: text)
            }
        }
        board.record(.edited, of: card, stamp: stamp, unless: unrecorded)
    }
}

/// Changes a card's text, and keeps what others have changed in it meanwhile.
///
/// ```swift
/// if let edit = card.sharedText.edit(by: connection.participant, to: field.text) {
///     connection.dispatch(EditCardText(card: card.id, edit: edit))
/// }
/// ```
public struct EditCardText: Stamped, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// What is changed, made of the ``Card/sharedText`` that was shown.
    public var edit: TextEdit
    /// True in actions from before there were histories: snapshots from that time have none.
    var unrecorded: Bool?
    /// Who did it and when, set by the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(card: Card.ID, edit: TextEdit) {
        self.card = card
        self.edit = edit
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        _ = try board.require(card: card).applying(edit)
    }

    package func apply(to board: inout Board) {
        guard let shared = try? board.cards[id: card]?.applying(edit) else { return }
        board.update(card) { $0.take(shared) }
        board.record(.edited, of: card, stamp: stamp, unless: unrecorded)
    }
}

/// Assigns a card to a user.
public struct AssignCard: Stamped, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// The id of the user who does it; nil for nobody.
    public var assignee: String?
    /// True to take back one's own: a conflict if somebody else has assigned the card since.
    public var isUndo: Bool?
    /// True in actions from before there were histories: snapshots from that time have none.
    var unrecorded: Bool?
    /// Who did it and when, set by the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(card: Card.ID, assignee: String?, isUndo: Bool? = nil) {
        self.card = card
        self.assignee = assignee
        self.isUndo = isUndo
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        if let assignee {
            try BoardLimits.check(name: assignee, "assignee")
        }
        try board.require(card: card)
        if isUndo == true { try board.requireLast(.assigned, of: card, by: sender) }
    }

    package func apply(to board: inout Board) {
        guard (try? check(board, by: stamp.sender)) != nil else { return }
        board.update(card) { $0.assignee = assignee }
        board.record(.assigned, of: card, to: assignee, stamp: stamp, unless: unrecorded)
    }
}

/// Puts a card in another place, in its column or another one.
///
/// A place is named by the card below it, not by a number, so that it means the same when others
/// add, move and remove cards at the same time.
public struct MoveCard: Stamped, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// The column that it goes to.
    public var column: Column.ID
    /// The card to put it above; nil, or one that isn't there: at the bottom.
    public var before: Card.ID?
    /// True to take back one's own: a conflict if somebody else has moved the card since.
    public var isUndo: Bool?
    /// True in actions from before there were histories: snapshots from that time have none.
    var unrecorded: Bool?
    /// Who did it and when, set by the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(
        card: Card.ID, column: Column.ID, before: Card.ID? = nil, isUndo: Bool? = nil
    ) {
        self.card = card
        self.column = column
        self.before = before
        self.isUndo = isUndo
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        let card = try board.require(card: card)
        let target = try board.require(column: column)
        if !card.column.isSameText(as: target.id) { try target.requireRoom() }
        if isUndo == true { try board.requireLast(.moved, of: card.id, by: sender) }
    }

    package func apply(to board: inout Board) {
        guard before?.isSameText(as: card) != true, let moved = board.cards[id: card],
            let target = board.index(ofColumn: column)
        else { return }
        if isUndo == true {
            let isLast = (try? board.requireLast(.moved, of: card, by: stamp.sender)) != nil
            guard isLast else { return }
        }
        board.place(moved, in: target, before: before)
        let title = board.columns[target].title
        board.record(.moved, of: card, to: title, stamp: stamp, unless: unrecorded)
    }
}

/// Takes a card off the board; ``RestoreCard`` puts it there again.
public struct RemoveCard: Stamped, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// True to take back that the sender has added it: a conflict if somebody else has had to do
    /// with the card since.
    public var isUndo: Bool?
    /// True in actions from before there were histories: snapshots from that time have none.
    var unrecorded: Bool?
    /// Who did it and when, set by the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(card: Card.ID, isUndo: Bool? = nil) {
        self.card = card
        self.isUndo = isUndo
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try board.require(card: card)
        if isUndo == true { try board.requireOwn(card: card, of: sender) }
    }

    package func apply(to board: inout Board) {
        guard (try? check(board, by: stamp.sender)) != nil,
            let removed = board.cards.remove(id: card)
        else { return }
        board.votes -= removed.voters.count
        if let column = board.index(ofColumn: removed.column) { board.columns[column].count -= 1 }
        guard unrecorded != true else { return }
        board.record(.removed, of: card, stamp: stamp, unless: nil)
        board.keep(removed: removed)
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
        guard card.voters.count < BoardLimits.votesPerCard || card.hasVote(of: sender) else {
            throw Rejection(
                .conflict, "The card has all the votes that it can have.",
                detail: "At most \(BoardLimits.votesPerCard) votes.")
        }
    }

    package func apply(to board: inout Board) {
        var isNew = false
        board.update(card) { card in
            isNew = !card.hasVote(of: stamp.sender)
            if isNew { card.voters.append(stamp.sender.id) }
        }
        if isNew { board.votes += 1 }
    }
}

extension Card {
    fileprivate func hasVote(of voter: Identity) -> Bool {
        voters.contains { $0.isSameText(as: voter.id) }
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
            card.voters.removeAll { $0.isSameText(as: stamp.sender.id) }
            count -= card.voters.count
        }
        board.votes -= count
    }
}
