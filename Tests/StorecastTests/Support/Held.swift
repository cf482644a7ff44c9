import Storecast

/// A state that can be watched: it holds an object.
struct Held: Equatable {
    var number = 0
    var object = Probe()

    static func == (left: Held, right: Held) -> Bool {
        left.number == right.number && left.object === right.object
    }
}

/// The same state in the depth of others.
struct Holder {
    struct Middle { var held = Held() }
    var middle = Middle()
}

enum HeldAction: Action {
    case count
    case replace
}

func reduceHeld(_ held: inout Held, _ action: any Action) {
    switch action as? HeldAction {
    case .count: held.number += 1
    case .replace: held.object = Probe()
    case nil: break
    }
}

/// What must be gone at the end of a test.
struct Remains {
    weak var subscriber: (any AnyStoreSubscriber)?
    weak var captured: Probe?
    weak var state: Probe?

    var names: [String] {
        (subscriber == nil ? [] : ["subscriber"]) + (captured == nil ? [] : ["captured object"])
            + (state == nil ? [] : ["state"])
    }
}

/// An operator of a subscription that holds an object.
struct HeldOperator: Sendable {
    let name: String
    let apply: @Sendable (Subscription<Held>, Probe) -> Subscription<Held>

    static let all = [
        HeldOperator(name: "path") { values, _ in values.select(\.self) },
        HeldOperator(name: "closure") { values, probe in
            values.select { state in withExtendedLifetime(probe) { state } }
        },
        HeldOperator(name: "skipRepeats") { values, _ in values.skipRepeats() },
        HeldOperator(name: "skipRepeats(predicate)") { values, probe in
            values.skipRepeats { old, new in withExtendedLifetime(probe) { old == new } }
        },
        HeldOperator(name: "skip(when: old, new)") { values, probe in
            values.skip { old, new in withExtendedLifetime(probe) { old == new } }
        },
        HeldOperator(name: "skip(when: new)") { values, probe in
            values.skip(when: { new in withExtendedLifetime(probe) { new.number == 2 } })
        },
        HeldOperator(name: "only(when: old, new)") { values, probe in
            values.only { old, new in withExtendedLifetime(probe) { old != new } }
        },
        HeldOperator(name: "only(when: new)") { values, probe in
            values.only(when: { new in withExtendedLifetime(probe) { new.number != 2 } })
        },
        HeldOperator(name: "operator") { values, probe in
            Subscription<Held> { sink in
                values.observer = { old, new in withExtendedLifetime(probe) { sink(old, new) } }
            }
        },
    ]

    /// Every way to put up to `count` of them behind one another.
    static func sequences(upTo count: Int) -> [[HeldOperator]] {
        guard count > 0 else { return [[]] }
        let shorter = sequences(upTo: count - 1)
        let longest = shorter.filter { $0.count == count - 1 }
        return shorter + longest.flatMap { sequence in all.map { sequence + [$0] } }
    }
}
