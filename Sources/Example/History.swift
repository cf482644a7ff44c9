public import StorecastSync
import StorecastTables

/// What was done to a card or a column, oldest first; at most ``BoardLimits/events``.
///
/// The journal has all of it for ever, and can't be asked by clients. So the reducer keeps the
/// newest on the way: who it was and when are the stamps that the journal has. That a card was
/// added is said by the card.
public struct History: Codable, Equatable, Sendable, Identifiable {
    /// The id of the card or column.
    public let id: String
    /// What was done, oldest first.
    public internal(set) var events: [Event]

    /// Something that somebody did.
    public struct Event: Codable, Equatable, Sendable {
        /// The kinds of what can be done.
        public enum Kind: String, Codable, CaseIterable, Sendable {
            case edited, assigned, moved, removed, restored, renamed
        }

        /// What was done.
        public let what: Kind
        /// The id of the user who did it; `""` for an anonymous one.
        public let by: String
        /// When the server received it; of several that are alike and follow on one another, the
        /// last one.
        public internal(set) var time: Timestamp
        /// The title of the column that a card was moved to, a column's new title, or who a card
        /// was assigned to; nil for nobody, and where there is nothing to say.
        public let to: String?

        func isLike(_ other: Event) -> Bool {
            what == other.what && by.isSameText(as: other.by) && to == other.to
        }
    }

    mutating func add(_ event: Event) {
        if events.last?.isLike(event) == true {
            events[events.count - 1].time = event.time
        } else {
            events.append(event)
            events.removeFirst(max(0, events.count - BoardLimits.events))
        }
    }
}

extension Board {
    /// Notes what was done to a card or column. O(log cards).
    ///
    /// - Parameter unrecorded: true in actions from before there were histories.
    mutating func record(
        _ what: History.Event.Kind, of id: String, to: String? = nil, stamp: Stamp,
        unless unrecorded: Bool?
    ) {
        guard unrecorded != true else { return }
        let event = History.Event(what: what, by: stamp.sender.id, time: stamp.time, to: to)
        if histories[id: id] == nil { histories.insert(History(id: id, events: [])) }
        histories[id: id]?.add(event)
    }

    /// Throws a conflict unless the sender was the last one who did this to a card or column: then
    /// they can take it back, and nobody else's doing is lost.
    func requireLast(
        _ what: History.Event.Kind, of id: String, by sender: Identity
    ) throws(Rejection) {
        let last = histories[id: id]?.events.last { $0.what == what }
        guard let last else {
            throw Rejection(.conflict, "Too much has happened since.")
        }
        guard last.by.isSameText(as: sender.id) else {
            throw Rejection(.conflict, "Somebody else has \(what.rawValue) it since.")
        }
    }

    /// Throws a conflict if anybody but the sender has had to do with a card.
    func requireOwn(card id: Card.ID, of sender: Identity) throws(Rejection) {
        let card = try require(card: id)
        let others = (histories[id: id]?.events.map(\.by) ?? []) + card.voters + [card.author]
        guard others.allSatisfy({ $0.isSameText(as: sender.id) }) else {
            throw Rejection(.conflict, "Somebody else has had to do with the card since.")
        }
    }

    /// Keeps a card that was taken off the board, for ``RestoreCard``.
    mutating func keep(removed card: Card) {
        removed.append(card)
        guard removed.count > BoardLimits.removed else { return }
        histories.remove(id: removed.removeFirst().id)
    }
}

/// Puts a card that was removed on the board again: with its text, its votes and who added it.
///
/// The board keeps the ``BoardLimits/removed`` cards that were removed last. A client says only
/// which of them it is, and so can't make a card in another's name.
public struct RestoreCard: Stamped, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// The card to put it above; nil, or one that isn't in its column: at the bottom.
    public var before: Card.ID?
    /// Who did it and when, set by the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(card: Card.ID, before: Card.ID? = nil) {
        self.card = card
        self.before = before
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        if board.cards.contains(id: card) {
            throw Rejection(.conflict, "The card is on the board already.")
        }
        guard let kept = board.removed.last(where: { $0.id.isSameText(as: card) }) else {
            throw Rejection(
                .conflict, "The card isn't kept any more.",
                detail: "The last \(BoardLimits.removed) that were removed are.")
        }
        try board.require(column: kept.column).requireRoom()
    }

    package func apply(to board: inout Board) {
        guard !board.cards.contains(id: card),
            let index = board.removed.lastIndex(where: { $0.id.isSameText(as: card) }),
            let place = board.index(ofColumn: board.removed[index].column)
        else { return }
        let restored = board.removed.remove(at: index)
        board.votes += restored.voters.count
        board.place(restored, in: place, before: before)
        board.record(.restored, of: card, stamp: stamp, unless: nil)
    }
}
