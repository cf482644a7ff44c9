import StorecastSync
import StorecastTables
import StorecastWire

/// What the selections of orders must show, found in the plain list: each row is looked at, and
/// neither queries, their keys nor changes of tables take part.
extension Market {
    func expectedPage(_ window: Window) -> RowPage<Order> {
        let rows = list.filter { order in
            (window.book.map { order.book.isSameText(as: $0) } ?? true)
                && order.price >= window.atLeast ?? .min && (!window.isOdd || order.price % 2 == 1)
        }
        return Self.page(of: rows, window)
    }

    func expectedMine(_ limit: Int, of viewer: Identity) -> RowPage<Order> {
        Self.page(
            of: list.filter { $0.owner.isSameText(as: viewer.id) },
            Window(order: [.price], limit: limit, isCounted: true))
    }

    func expectedOthers(_ limit: Int, than viewer: Identity) -> RowPage<Order> {
        Self.page(
            of: list.filter { !$0.owner.isSameText(as: viewer.id) },
            Window(order: [.due], limit: limit))
    }

    var expectedBooks: Table<RowGroup<String, Book>> {
        let sorted = list.sorted { $0.isBefore($1, []) }
        return Table(
            Self.bookNames.compactMap { name in
                let orders = sorted.filter { $0.book.isSameText(as: name) }
                if orders.isEmpty { return nil }
                return RowGroup(
                    id: name,
                    value: Book(
                        orders: orders.count, worth: orders.reduce(0) { $0 + $1.price },
                        next: orders.compactMap(\.due).min { $0 < $1 },
                        dearest: orders.map(\.price).max()))
            })
    }

    /// The part of some orders that a window shows; its filters aren't asked.
    private static func page(of orders: [Order], _ window: Window) -> RowPage<Order> {
        let sorts = window.order
        let sorted = orders.sorted { $0.isBefore($1, sorts) }
        var shown = sorted
        if let cursor = window.cursor, let place = Order(at: cursor, sorts) {
            shown = sorted.filter {
                window.isBefore ? $0.isBefore(place, sorts) : place.isBefore($0, sorts)
            }
        }
        let before = window.isBefore ? 0 : sorted.count - shown.count
        let after = sorted.count - shown.count - before
        let left = shown.count - (window.limit.map { min($0, shown.count) } ?? shown.count)
        shown.removeSubrange(
            window.isBefore ? 0..<left : shown.count - left..<shown.count)
        return RowPage(
            rows: shown, count: window.isCounted ? orders.count : nil,
            start: shown.first?.cursor(sorts), end: shown.last?.cursor(sorts),
            hasBefore: before + (window.isBefore ? left : 0) > 0,
            hasAfter: after + (window.isBefore ? 0 : left) > 0)
    }

    /// Whether the orders' table has what the list has, in the order of the ids.
    var hasSameOrders: Bool {
        list.sorted { $0.isBefore($1, []) }.elementsEqual(orders.rows) { $0.isSame(as: $1) }
    }

    /// Whether each trader has what his orders add up to.
    var hasRightTraders: Bool {
        let owners = list.map { Array($0.owner.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        let counted = traders.rows.flatMap { trader in
            Array(repeating: Array(trader.id.utf8), count: trader.orders)
        }
        return owners == counted
            && traders.rows.allSatisfy { trader in
                trader.worth
                    == list.filter { $0.owner.isSameText(as: trader.id) }
                    .reduce(0) { $0 + $1.price }
            }
    }
}

extension Market.Order {
    /// An order at the place that a cursor names; nil if that isn't one of such a window.
    fileprivate init?(at cursor: RowCursor, _ sorts: [Market.Window.Sort]) {
        guard cursor.values.count == sorts.count + 1, case .string(let id)? = cursor.values.last
        else { return nil }
        self.init(id: id, owner: "", book: "", price: 0)
        for (sort, value) in zip(sorts, cursor.values) {
            switch (sort, value) {
            case (.due, .int(let number)): due = Double(number)
            case (.due, .double(let number)): due = number
            case (.due, _): due = nil
            case (.owner, .string(let text)): owner = text
            case (.price, .int(let number)), (.dearest, .int(let number)): price = Int(number)
            default: return nil
            }
        }
    }

    fileprivate func isBefore(_ other: Self, _ sorts: [Market.Window.Sort]) -> Bool {
        for sort in sorts {
            switch sort {
            case .price where price != other.price: return price < other.price
            case .dearest where price != other.price: return price > other.price
            case .due where due != other.due:
                return due ?? -.infinity < other.due ?? -.infinity
            case .owner where !owner.isSameText(as: other.owner):
                return other.owner.utf8.lexicographicallyPrecedes(owner.utf8)
            default: break
            }
        }
        return id.utf8.lexicographicallyPrecedes(other.id.utf8)
    }

    /// Its place in a window.
    func cursor(_ sorts: [Market.Window.Sort]) -> RowCursor {
        let values: [IndexValue] = sorts.map { sort in
            switch sort {
            case .price, .dearest: .int(Int64(price))
            case .due: due.map { .double($0) } ?? .none
            case .owner: .string(owner)
            }
        }
        return RowCursor(values + [.string(id)])
    }
}
