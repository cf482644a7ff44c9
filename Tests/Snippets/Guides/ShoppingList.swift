// snippet: list-state
import StorecastSync

public struct Item: Codable, Equatable, Sendable, Identifiable {
    public let id: String
    public var text: String
    public var author: String
    public var isDone: Bool

    public init(id: String, text: String, author: String, isDone: Bool = false) {
        self.id = id
        self.text = text
        self.author = author
        self.isDone = isDone
    }
}

struct ShoppingList: Codable, Equatable, Sendable {
    var items: [Item] = []
    var wishes: [String: String] = [:]  // by person, who alone may see it
}
// end of snippet

// snippet: list-actions
struct AddItem: Stamped {
    var text: String
    var stamp = Stamp()  // the server's: who, when, an id, a seed
}

struct SetDone: SyncAction {
    var item: String
    var isDone: Bool
}

struct RemoveItem: SyncAction {
    var item: String
}

struct Wish: Stamped {
    var text: String
    var stamp = Stamp()
}
// end of snippet

// snippet: list-reducer
extension ShoppingList {
    @Sendable static func reduce(_ list: inout ShoppingList, _ action: any Action) {
        reduceItems(&list.items, action)
        if let wish = action as? Wish { list.wishes[wish.stamp.sender.id] = wish.text }
    }

    static func reduceItems(_ items: inout [Item], _ action: any Action) {
        switch action {
        case let add as AddItem:
            let author = add.stamp.sender.id
            items.append(Item(id: add.stamp.id, text: add.text, author: author))
        case let set as SetDone:
            guard let place = items.firstIndex(where: { $0.id == set.item }) else { return }
            items[place].isDone = set.isDone
        case let remove as RemoveItem: items.removeAll { $0.id == remove.item }
        default: break
        }
    }
}
// end of snippet

// snippet: list-selections
extension ShoppingList {
    static let items = Selection("items", part: \ShoppingList.items)
    static let open = Selection("open") { (list: ShoppingList, author: String) in
        list.items.filter { !$0.isDone && $0.author == author }
    }
    static let myWish = Selection("my-wish") { (list: ShoppingList, me: Identity) in
        list.wishes[me.id] ?? ""
    }

    static let room = RoomDefinition(
        state: ShoppingList(),
        actions: [AddItem.self, SetDone.self, RemoveItem.self, Wish.self],
        selections: [items, open, myWish], reducer: reduce)
}
// end of snippet

extension ShoppingList {
    // snippet: reading
    static let openCount = Selection("open-count") { (list: ShoppingList) in
        list.items.count { !$0.isDone }
    }.reading(\.items)
    // end of snippet
}

struct Chance: Stamped {
    var stamp = Stamp()
}

struct Raffle: Codable, Equatable, Sendable {
    var winner = ""
    var drawnAt = 0.0
}

// snippet: stamped
func draw(_ raffle: inout Raffle, _ chance: Chance, from people: [String]) {
    var random = chance.stamp.random  // the same numbers at every replay
    raffle.winner = people[random.below(people.count)]
    raffle.drawnAt = chance.stamp.time.secondsSince1970
}
// end of snippet

// snippet: list-rules
let listRoom = ShoppingList.room
    .allow(AddItem.self, .signedIn)
    .allow(SetDone.self, .roles("member", "owner"))
    .allow(RemoveItem.self, .signedIn)
    .allow(Wish.self, .signedIn)
    .allow(ShoppingList.items, .open)
    .allow(ShoppingList.open) { list, author, viewer in
        author == viewer.id || viewer.roles.contains("owner")
    }
    .allow(ShoppingList.myWish, .signedIn)
    .validate(AddItem.self) { list, add, sender in
        guard (1...200).contains(add.text.utf8.count) else {
            throw Rejection(.invalid, "An item has 1 to 200 bytes.")
        }
        guard list.items.count < 500 else { throw Rejection(.conflict, "The list is full.") }
    }
    .validate(RemoveItem.self) { list, remove, sender in
        guard let item = list.items.first(where: { $0.id == remove.item }) else { return }
        guard item.author == sender.id || sender.roles.contains("owner") else {
            throw Rejection(.forbidden, "Only its author or an owner removes it.")
        }
    }
// end of snippet
