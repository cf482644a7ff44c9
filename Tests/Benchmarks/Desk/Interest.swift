import Storecast

/// What the subscribers of a benchmark's store select.
enum Interest: String, CaseIterable {
    case sharedPath = "key path"
    case closure = "closure"
    case ownPath = "own key path"
    case ownClosure = "own closure"

    struct Numbers {
        var count = 0
        var parts = Parts()
        var many = [Int](repeating: 0, count: 10_000)

        subscript(own index: Int) -> Int { many[index] }
    }

    struct Parts {
        var a = 0
        var b = 0
        var c = 0
        var d = 0
        var e = 0
        var f = 0
        var g = 0
        var h = 0
        var i = 0
        var j = 0
    }

    /// Changes the state, and one of its ten parts if it is the fourth.
    struct Touch: Action {
        var part: Int?
    }

    final class Listener: StoreSubscriber {
        private(set) var sum = 0
        func newState(state: Int) { sum &+= state }
    }

    static func makeStore() -> Store<Numbers> {
        Store(state: Numbers()) { numbers, action in
            guard let touch = action as? Touch else { return }
            numbers.count &+= 1
            if touch.part == 3 { numbers.parts.d &+= 1 }
        }
    }

    func subscribe(_ listener: Listener, number: Int, to store: Store<Numbers>) {
        let part = Self.parts[number % Self.parts.count]
        switch self {
        case .sharedPath: store.subscribe(listener) { $0.select(part) }
        case .closure: store.subscribe(listener) { $0.select { $0[keyPath: part] } }
        case .ownPath: store.subscribe(listener) { $0.select(\.[own: number]) }
        case .ownClosure: store.subscribe(listener) { $0.select { $0.many[number] } }
        }
    }

    private static let parts: [any KeyPath<Numbers, Int> & Sendable] = [
        \.parts.a, \.parts.b, \.parts.c, \.parts.d, \.parts.e, \.parts.f, \.parts.g, \.parts.h,
        \.parts.i, \.parts.j,
    ]
}
