public import Observation
public import Storecast
public import StorecastTables

/// The rows of a table in a store's state, each observed by itself: a view that reads one row is
/// updated when that row changes, and no other.
///
/// ```swift
/// struct Cards: View {
///     @State var cards = store.observedRows(of: \.cards)
///     var body: some View {
///         ForEach(cards.ids, id: \.self) { id in CardView(cards: cards, id: id) }
///     }
/// }
///
/// struct CardView: View {
///     let cards: ObservedRows<Card>
///     let id: Card.ID
///     var body: some View {
///         if let card = cards[id] { Text(card.title) }
///     }
/// }
/// ```
///
/// A change costs O(c log n) for c rows, whatever the number of views. There are no rows as long as
/// the store has no state, as a remote store at first. It subscribes when it is created, until it
/// is released, and keeps the store alive. Like the store it isn't Sendable: it belongs to the same
/// actor or thread.
public final class ObservedRows<Row: Identifiable>: Observable, DispatchingStoreType
where Row.ID: TableKey {
    private let store: any DispatchingStoreType
    private var rows: any RowsByID<Row>
    /// The ids of the rows, unless they have changed since they were last asked for.
    private var knownIDs: [Row.ID]?
    /// The rows that were read since they last changed: nobody else can observe one.
    private var readRows = SortedTree<KeyOrder<Row.ID>, Void>()
    private let registrar = ObservationRegistrar()
    /// Kept here, as the store doesn't.
    private var listener: AnyObject?

    /// Observes the table at `path`.
    public convenience init<Source: StoreType>(
        _ store: Source, rows path: KeyPath<Source.State, Table<Row>>
    ) {
        self.init(store, Table(), path)
    }

    /// Observes the ordered table at `path`.
    public convenience init<Source: StoreType>(
        _ store: Source, rows path: KeyPath<Source.State, OrderedTable<Row>>
    ) {
        self.init(store, OrderedTable(), path)
    }

    private init<Source: StoreType, Rows: RowsByID<Row>>(
        _ store: Source, _ none: Rows, _ path: KeyPath<Source.State, Rows>
    ) {
        self.store = store
        rows = none
        let listener = Listener<Rows>()
        store.subscribe(listener) { $0.select(path) }
        self.listener = listener
        if let first = listener.first.take() { rows = first }
        listener.receive = { [unowned self] rows in take(rows) }
    }

    /// The ids in the table's order: that of the ids, or an order of one's own.
    ///
    /// Reading them is tracked; they change when rows come, go or move. O(n) after such a change.
    public var ids: [Row.ID] {
        registrar.access(self, keyPath: \.ids)
        if let knownIDs { return knownIDs }
        let ids = rows.allIDs
        knownIDs = ids
        return ids
    }

    /// The row with an id; nil if there is none. Reading it is tracked. O(log n).
    public subscript(id: Row.ID) -> Row? {
        registrar.access(self, keyPath: \.[id])
        readRows.update((), at: id)
        return rows[id: id]
    }

    /// Sends an action to the store; see ``/Storecast/Store/dispatch(_:)-(Action)``.
    public func dispatch(_ action: any Action) {
        store.dispatch(action)
    }

    private func take<Rows: RowsByID<Row>>(_ new: Rows) {
        guard let old = rows as? Rows else { return }
        let changes = new.rowChanges(from: old)
        let isElsewhere = changes.contains(where: \.isElsewhere)
        let others = changes.filter { $0.isOther && readRows.remove($0.id) != nil }.map(\.id)
        for id in others { registrar.willSet(self, keyPath: \.[id]) }
        if isElsewhere { registrar.willSet(self, keyPath: \.ids) }
        rows = new
        if isElsewhere { knownIDs = nil }
        for id in others { registrar.didSet(self, keyPath: \.[id]) }
        if isElsewhere { registrar.didSet(self, keyPath: \.ids) }
    }
}

extension StoreType {
    /// The rows of the table at `path`, each observed by itself.
    public func observedRows<Row>(of path: KeyPath<State, Table<Row>>) -> ObservedRows<Row> {
        ObservedRows(self, rows: path)
    }

    /// The rows of the ordered table at `path`, each observed by itself.
    public func observedRows<Row>(
        of path: KeyPath<State, OrderedTable<Row>>
    ) -> ObservedRows<Row> {
        ObservedRows(self, rows: path)
    }
}
