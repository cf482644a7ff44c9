import Storecast

/// Drives a store at random and checks each notification against what the documentation promises.
struct SubscriptionListModel {
    /// What one subscriber does and has seen.
    final class Watcher: StoreSubscriber {
        let number: Int
        let read: (Pair) -> Int
        var isSubscribed = false
        var isInside = false
        var last: Int?
        unowned let world: World

        init(number: Int, read: @escaping (Pair) -> Int, world: World) {
            self.number = number
            self.read = read
            self.world = world
        }

        func newState(state: Int) {
            world.check(isSubscribed, "\(number) was notified though it doesn't subscribe")
            world.check(!isInside, "\(number) was notified inside its own notification")
            world.check(state == read(world.store.state), "\(number) was shown a stale value")
            world.check(state != last, "\(number) was shown \(state) twice")
            last = state
            isInside = true
            world.react(self)
            isInside = false
        }
    }

    final class World {
        let store = makePairStore()
        var generator: SplitMix
        var watchers: [Watcher] = []
        var depth = 0
        var problems: [String] = []

        init(seed: UInt64) {
            generator = SplitMix(state: seed)
            watchers = (0..<16).map { number in
                Watcher(number: number, read: Self.read(number), world: self)
            }
        }

        static func read(_ number: Int) -> (Pair) -> Int {
            number % 2 == 0 ? { $0.a } : { $0.b }
        }

        func check(_ condition: Bool, _ problem: String) {
            if !condition { problems.append(problem) }
        }

        func react(_ watcher: Watcher) {
            guard depth < 4, generator.next(below: 3) == 0 else { return }
            depth += 1
            act()
            depth -= 1
        }

        func act() {
            let value = generator.next(below: 3)
            switch generator.next(below: 7) {
            case 0, 1: store.dispatch(PairAction.setA(value))
            case 2, 3: store.dispatch(PairAction.setB(value))
            case 4: subscribe(watchers[generator.next(below: watchers.count)])
            case 5:
                guard depth < 4 else { return }
                depth += 1
                store.batch { for _ in 0..<3 { act() } }
                depth -= 1
            default: unsubscribe(watchers[generator.next(below: watchers.count)])
            }
        }

        func unsubscribe(_ watcher: Watcher) {
            watcher.isSubscribed = false
            switch watcher.number % 8 {
            case 6: whole.unsubscribe(watcher)
            case 7: whole.scope(\.b).unsubscribe(watcher)
            default: store.unsubscribe(watcher)
            }
        }

        /// A scope with everything in it.
        var whole: ScopedStore<Pair> { store.scope(\.self) }

        /// Not while it is being notified: a new subscription notifies at once, by definition.
        func subscribe(_ watcher: Watcher) {
            if watcher.isInside { return }
            watcher.isSubscribed = true
            watcher.last = nil
            switch watcher.number % 8 {
            case 6: whole.subscribe(watcher) { $0.select { $0.a } }
            case 7: whole.scope(\.b).subscribe(watcher)
            default: subscribePlainly(watcher)
            }
        }

        private func subscribePlainly(_ watcher: Watcher) {
            store.subscribe(watcher) {
                switch watcher.number % 8 {
                case 0: $0.select(\.a)
                case 1: $0.select(\.b)
                case 2: $0.select { $0.a }
                case 3: $0.select(\.b).skipRepeats { $0 == $1 }
                case 4: $0.select(\.a).skip { $0 == $1 }
                default: $0.skipRepeats { $0 == $1 }.select { $0.b }
                }
            }
        }
    }

    private let world: World

    init(seed: UInt64) {
        world = World(seed: seed)
    }

    var problems: [String] { world.problems }

    mutating func run(steps: Int) {
        for _ in 0..<steps {
            world.act()
            let state = world.store.state ?? Pair()
            for watcher in world.watchers where watcher.isSubscribed {
                world.check(
                    watcher.last == watcher.read(state),
                    "\(watcher.number) missed the newest value")
            }
        }
    }
}
