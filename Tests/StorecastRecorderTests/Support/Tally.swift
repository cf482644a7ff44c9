import StorecastRecorder

/// A state that remembers the whole way to it.
struct Tally: Equatable {
    var sum = 0
    var steps: [String] = []
}

struct Add: StandardActionConvertible, Codable, Equatable { var by = 1 }
struct Clear: StandardActionConvertible, Codable, Equatable {}

/// An action of a type that can't be saved.
struct Unsaved: Action {}

/// Counts the calls of a reducer.
final class Calls {
    var count = 0
}

func makeTallyStore(
    calls: Calls = Calls(), middleware: [Middleware<Tally>] = []
) -> Store<Tally> {
    Store(state: Tally(), middleware: middleware) { tally, action in
        calls.count += 1
        switch action {
        case let add as Add:
            tally.sum += add.by
            tally.steps.append("+\(add.by)")
        case is Clear:
            tally.sum = 0
            tally.steps.append("clear")
        case let other as StandardAction: tally.steps.append(other.type)
        default: break
        }
    }
}

/// A store of a number only, for long recordings, that counts the calls of its reducer.
func makeSumStore(calls: Calls) -> Store<Int> {
    Store(state: 0) { sum, action in
        calls.count += 1
        if let add = action as? Add { sum += add.by }
    }
}

/// A subscriber that writes down what it gets and can be told what to do about it.
final class Listener<Value>: StoreSubscriber {
    private(set) var received: [Value] = []
    var reaction: (Value) -> Void = { _ in }

    func newState(state: Value) {
        received.append(state)
        reaction(state)
    }
}
