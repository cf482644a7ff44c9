import Example
import StorecastClient

/// The remote stores of a board: the columns, each column's cards, the chat, who is there.
@MainActor
final class BoardMirrors {
    /// What has arrived.
    enum Change {
        case columns([ColumnTitle])
        case cards(Column.ID, [Card])
        case chat([ChatMessage])
        case present([Participant])
    }

    private let connection: RemoteConnection
    private let onChange: (Change) -> Void
    private let columns: RemoteStore<[ColumnTitle]>
    private let chat: RemoteStore<[ChatMessage]>
    private let present: RemoteStore<[Participant]>
    private var cards: [Column.ID: RemoteStore<[Card]>] = [:]
    /// Stores hold their subscribers weakly.
    private var cardListeners: [Column.ID: Listener<[Card]>] = [:]
    private var listeners: [AnyObject] = []

    init(on connection: RemoteConnection, onChange: @escaping (Change) -> Void) {
        self.connection = connection
        self.onChange = onChange
        columns = RemoteStore(Board.columns, on: connection)
        chat = RemoteStore(Board.chat, on: connection)
        present = RemoteStore(Board.present, on: connection)
        listen(to: chat) { onChange(.chat($0)) }
        listen(to: present) { onChange(.present($0)) }
        listen(to: columns) { [unowned self] titles in
            onChange(.columns(titles))
            follow(titles)
        }
    }

    /// Why the server doesn't show its board, if it doesn't.
    var problem: Rejection? { columns.problem }

    /// Mirrors the columns that there are, and no others.
    private func follow(_ titles: [ColumnTitle]) {
        let ids = Set(titles.map(\.id))
        for gone in cards.keys.filter({ !ids.contains($0) }) {
            cards[gone] = nil
            cardListeners[gone] = nil
        }
        for id in ids where cards[id] == nil {
            let store = RemoteStore(
                Board.column, id, on: connection, optimistic: Board.reducer(ofColumn: id))
            let listener = Listener<[Card]> { [onChange] in onChange(.cards(id, $0)) }
            cards[id] = store
            cardListeners[id] = listener
            store.subscribe(listener)
        }
    }

    private func listen<Value>(
        to store: RemoteStore<Value>, _ take: @escaping @MainActor (Value) -> Void
    ) {
        let listener = Listener(take)
        listeners.append(listener)
        store.subscribe(listener)
    }
}
