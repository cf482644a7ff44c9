import Storecast

/// A state of two numbers and a name.
struct Pair: Equatable {
    var a = 0
    var b = 0
    var name = ""
}

enum PairAction: Action {
    case setA(Int)
    case setB(Int)
    case setName(String)
    case nothing
}

func reducePair(_ pair: inout Pair, _ action: any Action) {
    switch action as? PairAction {
    case .setA(let value): pair.a = value
    case .setB(let value): pair.b = value
    case .setName(let value): pair.name = value
    case .nothing, nil: break
    }
}

func makePairStore(
    _ pair: Pair = Pair(), middleware: [Middleware<Pair>] = [], skips: Bool = true
) -> Store<Pair> {
    Store(
        state: pair, middleware: middleware, automaticallySkipsRepeats: skips, reducer: reducePair)
}

/// A state that nobody can compare.
struct Opaque {
    var value = 0
    var other = 0
}

struct SetOpaque: Action { var value: Int }
struct SetOther: Action { var other: Int }

func makeOpaqueStore(skips: Bool = true) -> Store<Opaque> {
    Store(state: Opaque(), automaticallySkipsRepeats: skips) { state, action in
        switch action {
        case let set as SetOpaque: state.value = set.value
        case let set as SetOther: state.other = set.other
        default: break
        }
    }
}

/// Counts calls.
final class Probe {
    var count = 0
}
