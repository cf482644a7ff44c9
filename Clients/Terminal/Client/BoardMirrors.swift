import Example
import StorecastSync
import StorecastClient

/// The remote stores of a board: the columns, a page of each column's cards, the chat, who is there.
@MainActor
final class BoardMirrors {
    /// What has arrived.
    enum Change {
        case columns([Column])
        /// Cards of a column; another page than before, if it was turned to.
        case page(Column.ID, RowPage<Card>, turned: PageTurn?)
        case chat([ChatMessage])
        case present([Participant])
    }

    private let connection: RemoteConnection
    private let onChange: (Change) -> Void
    private let columns: RemoteStore<[Column]>
    private let chat: RemoteStore<[ChatMessage]>
    private let present: RemoteStore<[Participant]>
    private(set) var pages: [Column.ID: ColumnPages] = [:]
    /// Stores hold their subscribers weakly.
    private var listeners: [AnyObject] = []

    init(on connection: RemoteConnection, onChange: @escaping (Change) -> Void) {
        self.connection = connection
        self.onChange = onChange
        columns = RemoteStore(Board.columns, on: connection)
        chat = RemoteStore(Board.chat, on: connection)
        present = RemoteStore(Board.present, on: connection)
        listen(to: chat) { onChange(.chat($0)) }
        listen(to: present) { onChange(.present($0)) }
        listen(to: columns) { [unowned self] columns in
            onChange(.columns(columns))
            follow(columns.map(\.id))
        }
    }

    /// Why the server doesn't show its board, if it doesn't.
    var problem: Rejection? { columns.problem }

    /// Shows other cards of a column.
    func turn(_ column: Column.ID, _ turn: PageTurn) { pages[column]?.turn(turn) }

    /// Mirrors the columns that there are, and no others.
    private func follow(_ ids: [Column.ID]) {
        pages = pages.filter { ids.contains($0.key) }
        for id in ids where pages[id] == nil {
            pages[id] = ColumnPages(of: id, on: connection) { [onChange] page, turned in
                onChange(.page(id, page, turned: turned))
            }
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

/// The cards of a column, a page at a time. The page that is shown stays, and live, until the one
/// that is turned to has arrived.
@MainActor
final class ColumnPages {
    private typealias Page = RowPage<Card>
    private typealias Followed = (store: RemoteStore<Page>, listener: Listener<Page>)

    private let column: Column.ID
    private let connection: RemoteConnection
    private let onChange: (RowPage<Card>, PageTurn?) -> Void
    private var shown: Followed?
    private var coming: Followed?

    init(
        of column: Column.ID, on connection: RemoteConnection,
        onChange: @escaping (RowPage<Card>, PageTurn?) -> Void
    ) {
        self.column = column
        self.connection = connection
        self.onChange = onChange
        follow(ColumnPart(column: column), turned: nil)
    }

    /// Asks for another page; of several, the last one counts.
    func turn(_ turn: PageTurn) {
        guard let page = shown?.store.state else { return }
        switch turn {
        case .first: follow(ColumnPart(column: column), turned: turn)
        case .next: follow(ColumnPart(column: column, after: page.end), turned: turn)
        case .previous: follow(ColumnPart(column: column, before: page.start), turned: turn)
        }
    }

    private func follow(_ part: ColumnPart, turned: PageTurn?) {
        let store = RemoteStore(
            Board.column, part, on: connection, optimistic: Board.reducer(ofColumn: column))
        var turned = turned
        var isFirst = true
        let listener = Listener<Page> { [unowned self] page in
            if isFirst { (shown, coming) = (coming, nil) }
            onChange(page, turned)
            (isFirst, turned) = (false, nil)
            // Others may have taken all of its cards away.
            if page.rows.isEmpty, page.hasBefore { turn(.first) }
        }
        coming = (store, listener)
        store.subscribe(listener)
    }
}
