import StorecastRoom
import Synchronization

/// A small state: two counters, a log, and everybody's own notes.
struct Shop: Codable, Equatable, Sendable {
    var tea = 0
    var coffee = 0
    var log: [String] = []
    var notes: [String: [String]] = [:]

    @Sendable static func reduce(_ shop: inout Shop, _ action: any Action) {
        switch action {
        case let add as AddTea: shop.tea += add.by
        case let add as AddCoffee: shop.coffee += add.by
        case let write as Write: shop.log.append(write.text)
        case let sign as Sign:
            shop.log.append(
                "\(sign.text) \(sign.stamp.sender.id) \(sign.stamp.time.secondsSince1970)")
            shop.notes[sign.stamp.sender.id, default: []].append(sign.stamp.id)
        default: break
        }
    }
}

struct AddTea: SyncAction { var by: Int }
struct AddCoffee: SyncAction { var by: Int }
struct Write: SyncAction { var text: String }
struct Wait: SyncAction {}

struct Sign: Stamped {
    var text: String
    var stamp = Stamp()
}

/// Counts from any thread.
final class Tally: Sendable {
    private let number = Atomic<Int>(0)

    var count: Int { number.load(ordering: .relaxed) }

    func increase() { number.add(1, ordering: .relaxed) }
}

extension Shop {
    static let tea = Selection("tea") { (shop: Shop) in shop.tea }
    static let coffee = Selection("coffee") { (shop: Shop) in shop.coffee }
    static let log = Selection("log") { (shop: Shop) in shop.log }
    static let line = Selection("line") { (shop: Shop, number: Int) in
        shop.log.indices.contains(number) ? shop.log[number] : ""
    }
    static let mine = Selection("mine") { (shop: Shop, me: Identity) in
        shop.notes[me.id, default: []]
    }

    static var room: RoomDefinition<Shop> { room() }

    /// A room that counts how often the selection `tea` is evaluated.
    static func room(counting tally: Tally? = nil, from state: Shop = Shop()) -> RoomDefinition<
        Shop
    > {
        let counted = Selection("tea") { (shop: Shop) in
            tally?.increase()
            return shop.tea
        }
        return RoomDefinition(
            state: state,
            actions: [AddTea.self, AddCoffee.self, Write.self, Wait.self, Sign.self],
            selections: [counted, coffee, log, line, mine], reducer: reduce)
    }
}
