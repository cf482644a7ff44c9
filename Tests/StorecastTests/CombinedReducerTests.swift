import Storecast
import Testing

/// A sub-state seen through a protocol, as in Swift Flow.
private protocol HasBadge {
    var badge: Int { get set }
}

private struct Shop: HasBadge, Equatable {
    var badge = 0
    var cart: [String] = []
    var address = Address()
    var log: [String] = []
}

private struct Address: Equatable {
    var city = ""
    var moves = 0
}

private enum Buy: Action {
    case item(String)
    case ship(String)
}

private func reduceCart(_ cart: inout [String], _ action: any Action) {
    if case .item(let item)? = action as? Buy { cart.append(item) }
}

private func cityReducer(action: any Action, city: String?) -> String {
    if case .ship(let city)? = action as? Buy { city } else { city ?? "nowhere" }
}

private func countMove(_ moves: inout Int, _ action: any Action) {
    if case .ship? = action as? Buy { moves += 1 }
}

/// Sees of the state what the protocol shows.
private func reduceBadge(_ state: inout some HasBadge, _ action: any Action) {
    if case .item? = action as? Buy { state.badge += 1 }
}

private func logged(action: any Action, state: Shop?) -> Shop {
    var state = state ?? Shop()
    state.log.append("\(action) \(state.badge)")
    return state
}

/// A view that can be used with every app whose state has a badge.
private final class BadgeView: StoreSubscriber {
    var shown: [Int] = []

    func follow<S: StoreType>(_ store: S) where S.State: HasBadge {
        store.subscribe(self) { $0.select(\.badge) }
    }

    func newState(state: Int) { shown.append(state) }
}

struct CombinedReducerTests {
    private let reducer = CombinedReducer<Shop> {
        Reduce(\.cart, reduceCart)
        Reduce(
            \.address,
            CombinedReducer {
                Reduce(\.city, cityReducer)
                Reduce(\.moves, countMove)
            })
        Reduce(reduceBadge)
        Reduce(logged)
    }

    @Test func `each part has its reducer, of either form, and they run in order`() {
        let store = Store(state: Shop(), reducer: reducer)
        store.dispatch(Buy.item("tea"))
        store.dispatch(Buy.ship("Oslo"))
        #expect(store.state.cart == ["tea"])
        #expect(store.state.address == Address(city: "Oslo", moves: 1))
        #expect(store.state.log == [#"item("tea") 1"#, #"ship("Oslo") 1"#])
    }

    @Test func `a protocol is all that a reducer and a view need to know of the state`() {
        let store = Store(state: Shop(), reducer: reducer)
        let view = BadgeView()
        view.follow(store)
        store.dispatch(Buy.item("tea"))
        store.dispatch(Buy.ship("Oslo"))
        #expect(view.shown == [0, 1])
    }

    @Test func `arrays of reducers can be combined, and combinations nested`() {
        let twice = CombinedReducer<Shop>([reduceBadge, reduceBadge])
        let all = CombinedReducer<Shop> {
            Reduce(twice)
            Reduce(CombinedReducer([logged]))
        }
        var shop = Shop()
        all(&shop, Buy.item("tea"))
        #expect(shop.badge == 2)
        #expect(shop.log == [#"item("tea") 2"#])
    }

    @Test(arguments: [true, false])
    func `lines can depend on a condition`(isLogging: Bool) {
        let reducer = CombinedReducer<Shop> {
            if isLogging { Reduce(logged) }
            if isLogging { Reduce(\.cart, reduceCart) } else { Reduce(reduceBadge) }
        }
        var shop = Shop()
        reducer(&shop, Buy.item("tea"))
        #expect(shop.log.count == (isLogging ? 1 : 0))
        #expect(shop.badge == (isLogging ? 0 : 1))
        #expect(shop.cart.count == (isLogging ? 1 : 0))
    }

    @Test func `a part with shared storage is changed without a copy`() {
        struct Whole { var bag: InPlaceReductionTests.Bag }
        let copies = Probe()
        let store = Store(
            state: Whole(bag: .init(copies: copies)),
            reducer: CombinedReducer {
                Reduce(\.bag) { bag, action in
                    if let add = action as? InPlaceReductionTests.Add { bag.add(add.item) }
                }
            })
        for item in 0..<5 { store.dispatch(InPlaceReductionTests.Add(item: item)) }
        #expect(store.state.bag.count == 5)
        #expect(copies.count == 0)
    }
}
