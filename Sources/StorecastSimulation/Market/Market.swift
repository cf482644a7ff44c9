import Storecast
import StorecastSync
import StorecastTables
import StorecastWire

/// The state of the room that simulations of tables run: orders of a market, by their ids, and what
/// each trader has of them.
struct Market: Codable, Equatable, Sendable {
    struct Order: Identifiable, Codable, Equatable, Sendable {
        var id: String
        var owner: String
        var book: String
        var price: Int
        var due: Double?
        var note = ""

        /// Whether both have the same bytes, which `==` doesn't ask.
        func isSame(as other: Order) -> Bool {
            id.isSameText(as: other.id) && owner.isSameText(as: other.owner)
                && book.isSameText(as: other.book) && note.isSameText(as: other.note)
                && price == other.price && due?.bitPattern == other.due?.bitPattern
        }
    }

    struct Trader: Identifiable, Codable, Equatable, Sendable {
        var id: String
        var orders = 0
        var worth = 0
    }

    var orders = Table<Order>()
    /// Those who have orders.
    var traders = Table<Trader>()
    /// The same orders, in the order of their arrival, but for those that were moved.
    var line = OrderedTable<Order>()
    /// The same once more: the simplest implementation, to compare with the real ones.
    var list: [Order] = []

    func order(_ id: String) -> Order? { list.first { $0.id.isSameText(as: id) } }

    private mutating func place(_ order: Order) {
        cancel(order.id)
        orders.update(order)
        line.append(order)
        list.append(order)
        count(order, 1)
    }

    private mutating func cancel(_ id: String) {
        guard let old = order(id) else { return }
        orders[id: id] = nil
        line[id: id] = nil
        list.removeAll { $0.id.isSameText(as: id) }
        count(old, -1)
    }

    private mutating func change(_ id: String, _ change: (inout Order) -> Void) {
        guard let place = list.firstIndex(where: { $0.id.isSameText(as: id) }) else { return }
        count(list[place], -1)
        change(&list[place])
        change(&orders[id: id]!)
        change(&line[id: id]!)
        count(list[place], 1)
    }

    private mutating func move(_ id: String, to number: Int) {
        guard let place = list.firstIndex(where: { $0.id.isSameText(as: id) }) else { return }
        let position = number % list.count
        list.insert(list.remove(at: place), at: position)
        line.move(id: id, to: position)
    }

    /// Moves orders between the same two, so often that there is no room and ranks are made anew.
    private mutating func squeeze(_ times: Int) {
        guard list.count > 2 else { return }
        for _ in 0..<times {
            list.swapAt(1, 2)
            line.move(id: line[2].id, to: 1)
        }
    }

    private mutating func clear(_ book: String) {
        for order in list where order.book.isSameText(as: book) { count(order, -1) }
        list.removeAll { $0.book.isSameText(as: book) }
        orders.removeAll { $0.book.isSameText(as: book) }
        line.removeAll { $0.book.isSameText(as: book) }
    }

    private mutating func count(_ order: Order, _ number: Int) {
        var trader = traders[id: order.owner] ?? Trader(id: order.owner)
        trader.orders += number
        trader.worth += number * order.price
        traders[id: order.owner] = trader.orders == 0 ? nil : trader
    }

    @Sendable static func reduce(_ market: inout Market, _ action: any Action) {
        switch action {
        case let place as Place: market.place(place.order)
        case let amend as Amend:
            market.change(amend.id) { order in
                order.price = amend.price ?? order.price
                order.book = amend.book ?? order.book
                order.note = amend.note ?? order.note
            }
        case let postpone as Postpone: market.change(postpone.id) { $0.due = postpone.due }
        case let hand as Hand: market.change(hand.id) { $0.owner = hand.owner }
        case let move as Move: market.move(move.id, to: move.position)
        case let squeeze as Squeeze: market.squeeze(squeeze.times)
        case let cancel as Cancel: market.cancel(cancel.id)
        case let clear as Clear: market.clear(clear.book)
        default: break
        }
    }
}

/// Rejected where another has an order with the id.
struct Place: SyncAction {
    var order: Market.Order
}

/// Changes what isn't nil; rejected, like the next four, where there is no such order.
struct Amend: SyncAction {
    var id: String
    var price: Int?
    var book: String?
    var note: String?
}

struct Postpone: SyncAction {
    var id: String
    var due: Double?
}

/// Gives an order to another.
struct Hand: SyncAction {
    var id: String
    var owner: String
}

/// Puts an order elsewhere in the line.
struct Move: SyncAction {
    var id: String
    /// Counted around, if there are fewer orders.
    var position: Int
}

struct Cancel: SyncAction {
    var id: String
}

/// Has many orders of the line ranked anew.
struct Squeeze: SyncAction {
    var times: Int
}

/// Removes all orders of a book; only a clerk may.
struct Clear: SyncAction {
    var book: String
}

/// Middleware turns it into its parts, which are reduced together or not at all.
struct Batch: SyncAction {
    var changes: [Amend]
    var cancelled: [String]
    var placed: [Market.Order]
}
