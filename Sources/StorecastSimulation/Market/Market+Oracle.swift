import StorecastSync
import StorecastTables
import StorecastWire

/// What the selections of orders must show, found in the plain list: each row is looked at, and
/// neither queries, their keys nor changes of tables take part.
extension Market {
    func expectedPage(_ window: Window) -> RowPage<Order> {
        Self.page(of: orders(in: window).map { Placed($0) }, window)
    }

    /// What an owner has is counted in the list, too.
    func expectedOwned(_ window: Window) -> RowPage<OwnedOrder> {
        let page = expectedPage(window)
        let rows = page.rows.map { order in
            let orders = list.filter { $0.owner.isSameText(as: order.owner) }
            return OwnedOrder(
                order: order,
                owner: Trader(
                    id: order.owner, orders: orders.count,
                    worth: orders.reduce(0) { $0 + $1.price }))
        }
        return RowPage(
            rows: rows, count: page.count, start: page.start, end: page.end,
            hasBefore: page.hasBefore, hasAfter: page.hasAfter)
    }

    func expectedQueue(_ window: Window) -> RowPage<Order> {
        let ranked = orders(in: window).map { Placed($0, rank: line.rank(of: $0.id)?.text) }
        return Self.page(of: ranked, window)
    }

    private func orders(in window: Window) -> [Order] {
        list.filter { order in
            (window.book.map { order.book.isSameText(as: $0) } ?? true)
                && order.price >= window.atLeast ?? .min && (!window.isOdd || order.price % 2 == 1)
        }
    }

    func expectedMine(_ limit: Int, of viewer: Identity) -> RowPage<Order> {
        Self.page(
            of: list.filter { $0.owner.isSameText(as: viewer.id) }.map { Placed($0) },
            Window(order: [.price], limit: limit, isCounted: true))
    }

    func expectedOthers(_ limit: Int, than viewer: Identity) -> RowPage<Order> {
        Self.page(
            of: list.filter { !$0.owner.isSameText(as: viewer.id) }.map { Placed($0) },
            Window(order: [.due], limit: limit))
    }

    var expectedBooks: Table<RowGroup<String, Book>> {
        let sorted = list.sorted { $0.hasIDBefore($1) }
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
    private static func page(of orders: [Placed], _ window: Window) -> RowPage<Order> {
        let sorts = window.order
        let sorted = orders.sorted { $0.isBefore($1, sorts) }
        var shown = sorted
        if let cursor = window.cursor,
            let place = Placed(at: cursor, sorts, isRanked: orders.contains { $0.rank != nil })
        {
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
            rows: shown.map(\.order), count: window.isCounted ? orders.count : nil,
            start: shown.first?.cursor(sorts), end: shown.last?.cursor(sorts),
            hasBefore: before + (window.isBefore ? left : 0) > 0,
            hasAfter: after + (window.isBefore ? 0 : left) > 0)
    }

    /// Whether the orders' table has what the list has, in the order of the ids.
    var hasSameOrders: Bool {
        list.sorted { $0.hasIDBefore($1) }.elementsEqual(orders.rows) { $0.isSame(as: $1) }
    }

    /// Whether the line has what the list has, in its order.
    var hasSameLine: Bool { list.elementsEqual(line) { $0.isSame(as: $1) } && line.fault == nil }

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
    fileprivate func hasIDBefore(_ other: Self) -> Bool {
        id.utf8.lexicographicallyPrecedes(other.id.utf8)
    }
}

extension Market {
    /// An order, with its rank where it is shown in the order of the line.
    struct Placed {
        var order: Order
        var rank: String?

        init(_ order: Order, rank: String? = nil) { (self.order, self.rank) = (order, rank) }

        /// Its place in a window.
        func cursor(_ sorts: [Window.Sort]) -> RowCursor {
            let values: [IndexValue] = sorts.map { sort in
                switch sort {
                case .price, .dearest: .int(Int64(order.price))
                case .due: order.due.map { .double($0) } ?? .none
                case .owner: .string(order.owner)
                }
            }
            return RowCursor(values + (rank.map { [.string($0)] } ?? []) + [.string(order.id)])
        }
    }
}

extension Market.Placed {
    /// An order at the place that a cursor names; nil if that isn't one of such a window.
    fileprivate init?(at cursor: RowCursor, _ sorts: [Market.Window.Sort], isRanked: Bool) {
        var values = cursor.values
        guard case .string(let id)? = values.popLast() else { return nil }
        order = Market.Order(id: id, owner: "", book: "", price: 0)
        if isRanked {
            guard case .string(let text)? = values.popLast() else { return nil }
            rank = text
        }
        guard values.count == sorts.count else { return nil }
        for (sort, value) in zip(sorts, values) {
            switch (sort, value) {
            case (.due, .int(let number)): order.due = Double(number)
            case (.due, .double(let number)): order.due = number
            case (.due, _): order.due = nil
            case (.owner, .string(let text)): order.owner = text
            case (.price, .int(let number)), (.dearest, .int(let number)):
                order.price = Int(number)
            default: return nil
            }
        }
    }

    fileprivate func isBefore(_ placed: Self, _ sorts: [Market.Window.Sort]) -> Bool {
        let other = placed.order
        for sort in sorts {
            switch sort {
            case .price where order.price != other.price: return order.price < other.price
            case .dearest where order.price != other.price: return order.price > other.price
            case .due where order.due != other.due:
                return order.due ?? -.infinity < other.due ?? -.infinity
            case .owner where !order.owner.isSameText(as: other.owner):
                return other.owner.utf8.lexicographicallyPrecedes(order.owner.utf8)
            default: break
            }
        }
        // Ranks are ASCII, where Swift's order is that of the bytes.
        if let rank, let other = placed.rank, rank != other { return rank < other }
        return order.hasIDBefore(other)
    }
}
