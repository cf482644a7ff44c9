import Storecast
import StorecastSync
import StorecastTables
import StorecastWire

extension Market {
    /// Which orders a client wants to see.
    struct Window: Codable, Hashable, Sendable {
        enum Sort: String, Codable {
            case price, dearest, due, owner
        }

        var book: String?
        var atLeast: Int?
        /// Only orders with an odd price.
        var isOdd = false
        var order: [Sort] = []
        var limit: Int?
        var cursor: RowCursor?
        var isBefore = false
        var isCounted = false

        var query: RowQuery<Order> {
            var query = RowQuery<Order>()
            if let book { query = query.where(\.book, is: book) }
            if let atLeast { query = query.where(\.price, in: atLeast...) }
            if isOdd { query = query.filter { $0.price % 2 == 1 } }
            for sort in order {
                query =
                    switch sort {
                    case .price: query.sorted(by: \.price)
                    case .dearest: query.sorted(by: \.price, descending: true)
                    case .due: query.sorted(by: \.due)
                    case .owner: query.sorted(by: \.owner, descending: true)
                    }
            }
            if let limit { query = query.limit(limit) }
            if isCounted { query = query.counted() }
            return isBefore ? query.before(cursor) : query.after(cursor)
        }
    }

    /// What is told of the orders of a book.
    struct Book: Codable, Equatable, Sendable {
        var orders: Int
        var worth: Int
        var next: Double?
        var dearest: Int?
    }

    struct OwnedOrder: Codable, Equatable, Sendable {
        var order: Order
        var owner: Trader?
    }

    static let order = Selection("order", row: \Market.orders)
    static let page = Selection("page", rows: \Market.orders) { (window: Window) in window.query }
    /// The orders in the order of the line, or where that says nothing else.
    static let queue = Selection("queue", rows: \Market.line) { (window: Window) in window.query }
    /// Orders with what their owners have.
    static let owned = Selection("owned", rows: \Market.orders) { (window: Window) in
        window.query
    }.joining(\.traders, on: \.owner) { OwnedOrder(order: $0, owner: $1) }
    static let place = Selection("place", row: \Market.line)
    /// The viewer's cheapest orders, through an index of owners.
    static let mine = Selection("mine", rows: \Market.orders) { (limit: Int, viewer: Identity) in
        RowQuery().where(\.owner, is: viewer.id).sorted(by: \.price).limit(limit).counted()
    }
    /// The orders of others, by a predicate.
    static let others = Selection("others", rows: \Market.orders) {
        (limit: Int, viewer: Identity) in
        RowQuery().filter { !$0.owner.isSameText(as: viewer.id) }.sorted(by: \.due).limit(limit)
    }
    static let traders = Selection("traders") { (market: Market) in market.traders }
        .reading(\.traders)
    /// What the orders of each book come to.
    static let books = Selection("books", aggregating: \Market.orders) { (_: NoParameters) in
        RowQuery().aggregate(
            .combined(.count, .sum(\.price), .min(\.due), .max(\.price)) {
                Book(orders: $0, worth: $1, next: $2, dearest: $3)
            }, groupedBy: \.book)
    }

    static let room = RoomDefinition(
        state: Market(),
        actions: [
            Place.self, Amend.self, Postpone.self, Hand.self, Move.self, Squeeze.self,
            Cancel.self, Clear.self, Batch.self,
        ],
        selections: [order, page, queue, owned, place, mine, others, traders, books],
        reducer: reduce
    )
    .validate(Place.self) { market, place, sender in
        guard market.order(place.order.id)?.owner.isSameText(as: sender.id) ?? true else {
            throw Rejection(.conflict, "Another has this order.")
        }
    }
    .validate(Amend.self) { market, amend, _ in try market.check(amend.id) }
    .validate(Postpone.self) { market, postpone, _ in try market.check(postpone.id) }
    .validate(Hand.self) { market, hand, _ in try market.check(hand.id) }
    .validate(Move.self) { market, move, _ in try market.check(move.id) }
    .validate(Cancel.self) { market, cancel, _ in try market.check(cancel.id) }
    .allow(Clear.self, .roles("clerk"))
    .allowAll(.open)
    .onOpen { store in store.middleware = [parts] }

    private func check(_ id: String) throws {
        guard order(id) != nil else { throw Rejection(.conflict, "There is no such order.") }
    }

    /// What a client shows of an order before the server has answered.
    @Sendable static func preview(_ id: String, _ order: inout Order?, _ action: any Action) {
        switch action {
        case let place as Place where place.order.id.isSameText(as: id): order = place.order
        case let amend as Amend where amend.id.isSameText(as: id):
            if let price = amend.price { order?.price = price }
        case let hand as Hand where hand.id.isSameText(as: id): order?.owner = hand.owner
        case let cancel as Cancel where cancel.id.isSameText(as: id): order = nil
        default: break
        }
    }

    /// Middleware that takes batches apart.
    @Sendable private static func parts(
        _ dispatch: @escaping DispatchFunction, _ state: @escaping () -> Market?
    ) -> (@escaping DispatchFunction) -> DispatchFunction {
        { next in
            { action in
                guard let batch = action as? Batch else { return next(action) }
                for amend in batch.changes { next(amend) }
                for id in batch.cancelled { next(Cancel(id: id)) }
                for order in batch.placed { next(Place(order: order)) }
            }
        }
    }
}
