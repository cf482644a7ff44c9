import StorecastSync

extension SimulatedRoom where State == Market {
    /// The room of one seed of seven.
    static var market: Self {
        let people = [
            Identity("ada"), Identity("\u{e9}ve"), Identity("ada", roles: ["clerk"]),
            Identity("e\u{301}ve"), Identity("bob", roles: ["clerk"]),
            Identity("\u{e9}ve", roles: ["clerk"]),
        ]
        return SimulatedRoom(Market.room, people: people)
            .mirroringOrders()
            .dispatching(6) { random, me in Place(order: .drawn(&random, of: me.id)) }
            .dispatching(5) { random, _ in .drawn(&random) as Amend }
            .dispatching(2) { random, _ in
                Postpone(id: Market.drawID(&random), due: Market.drawDue(&random))
            }
            .dispatching(3) { random, _ in
                Hand(id: Market.drawID(&random), owner: random.pick(people).id)
            }
            .dispatching(4) { random, _ in
                Move(id: Market.drawID(&random), position: random.below(20))
            }
            .dispatching { random, _ in Squeeze(times: 60 + random.below(30)) }
            .dispatching(2) { random, _ in Cancel(id: Market.drawID(&random)) }
            .dispatching { random, _ in Clear(book: random.pick(Market.bookNames)) }
            .dispatching(3) { random, me in
                // Few parts, as one that is rejected takes the others back.
                Batch(
                    changes: (0..<random.below(3)).map { _ in .drawn(&random) },
                    cancelled: (0..<random.below(2)).map { _ in Market.drawID(&random) },
                    placed: (0..<random.below(4)).map { _ in .drawn(&random, of: me.id) })
            }
            .dispatchingOnServer { random in
                Place(order: .drawn(&random, of: random.pick(people).id))
            }
            .requiring("a table has what was put into it") { $0.hasSameOrders }
            .requiring("an ordered table has it in its order") { $0.hasSameLine }
            .requiring("a row that is kept up to date adds up") { $0.hasRightTraders }
    }

    private func mirroringOrders() -> Self {
        mirroring(Market.order, { Market.drawID(&$0) }, optimistic: Market.preview)
            .mirroring(Market.page) { .drawn(&$0) }
            .mirroring(Market.page) { .drawn(&$0) }
            .mirroring(Market.queue) { .drawn(&$0, isRanked: true) }
            .mirroring(Market.queue) { .drawn(&$0, isRanked: true) }
            .mirroring(Market.owned) { .drawn(&$0) }
            .mirroring(Market.place) { Market.drawID(&$0) }
            .mirroring(Market.mine) { random in 1 + random.below(3) }
            .mirroring(Market.others) { random in 1 + random.below(3) }
            .mirroring(Market.traders)
            .mirroring(Market.books)
            .expecting(Market.order) { market, id, _ in market.order(id) }
            .expecting(Market.page) { market, window, _ in market.expectedPage(window) }
            .expecting(Market.queue) { market, window, _ in market.expectedQueue(window) }
            .expecting(Market.owned) { market, window, _ in market.expectedOwned(window) }
            .expecting(Market.place) { market, id, _ in market.order(id) }
            .expecting(Market.mine) { market, limit, me in market.expectedMine(limit, of: me) }
            .expecting(Market.others) { market, limit, me in
                market.expectedOthers(limit, than: me)
            }
            .expecting(Market.books) { market, _, _ in market.expectedBooks }
    }
}

extension Market {
    static let bookNames = ["gold", "\u{e9}tain", "e\u{301}tain"]
    /// Some differ only in their bytes, some are written in an unusual way.
    private static let ids = [
        "", "a", "b", "ab", "a/b", "~1", "~", "\u{e9}", "e\u{301}", "\u{1F600}", "\u{FFFD}", "0",
        "-1", "01", "10", "9", "\"", "\u{0}",
    ]

    fileprivate static func drawID(_ random: inout SeededGenerator) -> String { random.pick(ids) }

    fileprivate static func drawDue(_ random: inout SeededGenerator) -> Double? {
        random.pick([nil, 0, -0.0, 0.5, 7])
    }
}

extension Market.Order {
    fileprivate static func drawn(_ random: inout SeededGenerator, of owner: String) -> Self {
        Self(
            id: Market.drawID(&random), owner: owner, book: random.pick(Market.bookNames),
            price: random.below(8), due: Market.drawDue(&random))
    }
}

extension Amend {
    fileprivate static func drawn(_ random: inout SeededGenerator) -> Self {
        var amend = Amend(id: Market.drawID(&random))
        switch random.below(3) {
        case 0: amend.price = random.below(8)
        case 1: amend.book = random.pick(Market.bookNames)
        default: amend.note = random.pick(["", "\u{e9}", "e\u{301}", "n"])
        }
        return amend
    }
}

extension Market.Window {
    /// Mostly one of a few, so that clients share them and come back to them.
    fileprivate static func drawn(
        _ random: inout SeededGenerator, isRanked: Bool = false
    ) -> Self {
        if random.happens(oneIn: 2) { return random.pick(usual) }
        var window = Self()
        if random.happens(oneIn: 2) { window.book = random.pick(Market.bookNames) }
        if random.happens(oneIn: 3) { window.atLeast = random.below(8) }
        window.isOdd = random.happens(oneIn: 6)
        window.order = random.pick([[], [.price], [.dearest], [.due], [.owner, .price]])
        if !random.happens(oneIn: 4) { window.limit = random.below(5) }
        window.isCounted = random.happens(oneIn: 2)
        guard random.happens(oneIn: 2) else { return window }
        window.isBefore = random.happens(oneIn: 2)
        let order = Market.Order.drawn(&random, of: random.pick(["ada", "\u{e9}ve"]))
        let rank = isRanked ? random.pick(["", "U", "V", "W", "Wk", "X", "XV", "Y", "a"]) : nil
        window.cursor = Market.Placed(order, rank: rank).cursor(window.order)
        return window
    }

    private static let usual = [
        Self(), Self(order: [.price], limit: 2), Self(order: [.dearest], limit: 1, isCounted: true),
        Self(book: "gold", order: [.price], limit: 2),
        Self(book: "\u{e9}tain", order: [.price], limit: 2),
        Self(book: "e\u{301}tain", order: [.due], limit: 1, isCounted: true),
        Self(atLeast: 4, order: [.price], limit: 3, isCounted: true),
    ]
}
