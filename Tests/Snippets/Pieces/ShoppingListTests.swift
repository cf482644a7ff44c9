import StorecastTesting
import Testing

@testable import Guides

// snippet: list-store-test
struct ShoppingListTests {
    @Test func `who adds an item is its author`() {
        let list = TestStore(listRoom)
        list.stamp.sender = Identity("ada")
        list.stamp.id = "1"
        list.dispatch(AddItem(text: "Tea")) {
            $0.items = [Item(id: "1", text: "Tea", author: "ada")]
        }
        list.expectRejection(of: AddItem(text: ""), .invalid)
        list.expectRejection(of: SetDone(item: "1", isDone: true), .forbidden)
    }
}
// end of snippet

// snippet: list-room-test
@MainActor struct ListModelTests {
    @Test func `an item that was added offline is ticked offline, and both arrive`() async {
        let list = TestRoom(listRoom)
        let phone = list.connect(as: Identity("ada", roles: ["member"]))
        let model = ListModel(phone)
        await list.settle()

        list.goOffline(phone)
        model.add("Tea")
        model.setDone(model.items.state![0], true)
        #expect(model.items.state?.map(\.isDone) == [true])
        #expect(list.state.items.isEmpty)

        list.goOnline(phone)
        await list.advance(by: .seconds(30))
        #expect(list.state.items == model.items.state)
    }
}
// end of snippet

@MainActor struct GuideTests {
    @Test func `a provisional id is the final one`() async {
        let list = TestRoom(listRoom)
        let items = followItems(list.connect(as: Identity("ada", roles: ["owner"])))
        await list.settle()
        addAndTick(items)
        let shown = items.state?.map(\.id)
        await list.settle()
        #expect(list.state.items.map(\.id) == shown)
        #expect(list.state.items.map(\.isDone) == [true])
    }

    @Test func `what was added offline its author removes offline, and nobody else may`() async {
        let list = TestRoom(listRoom)
        let ada = list.connect(as: Identity("ada"))
        let items = RemoteStore(ShoppingList.items, on: ada, optimistic: ShoppingList.room)
        await list.settle()
        list.goOffline(ada)
        items.dispatch(AddItem(text: "Tea"))
        items.dispatch(AddItem(text: "Bread"))
        let removal = items.dispatch(RemoveItem(item: items.state![0].id))
        list.goOnline(ada)
        await list.advance(by: .seconds(30))
        await #expect(throws: Never.self) { _ = try await removal.outcome }
        #expect(list.state.items.map(\.text) == ["Bread"])

        let bob = list.connect(as: Identity("bob"))
        await list.settle()
        let theft = bob.dispatch(RemoveItem(item: list.state.items[0].id))
        await list.settle()
        let refusal = await #expect(throws: Rejection.self) { _ = try await theft.outcome }
        #expect(refusal?.description == "Only its author or an owner removes it.")
        #expect(list.state.items.count == 1)
    }

    @Test func `a rule doesn't see what its sender did just before, offline`() async {
        let room = ShoppingList.room.allowAll(.signedIn)
            .allow(RemoveItem.self) { list, remove, sender in
                list.items.contains { $0.id == remove.item && $0.author == sender.id }
            }
        let list = TestRoom(room)
        let ada = list.connect(as: Identity("ada"))
        let items = RemoteStore(ShoppingList.items, on: ada, optimistic: ShoppingList.room)
        await list.settle()
        list.goOffline(ada)
        items.dispatch(AddItem(text: "Tea"))
        let removal = items.dispatch(RemoveItem(item: items.state![0].id))
        list.goOnline(ada)
        await list.advance(by: .seconds(30))
        let refusal = await #expect(throws: Rejection.self) { _ = try await removal.outcome }
        #expect(refusal?.description == "You may not do this.")
        #expect(list.state.items.map(\.text) == ["Tea"])
    }

    @Test func `a reducer of one's own shows what the selection would`() async {
        let list = TestRoom(listRoom)
        let ada = list.connect(as: Identity("ada", roles: ["member"]))
        let mine = followOpenItems(ada, of: "ada")
        await list.settle()
        mine.dispatch(AddItem(text: "Tea"))
        #expect(mine.state?.map(\.text) == ["Tea"])
        mine.dispatch(SetDone(item: mine.state![0].id, isDone: true))
        #expect(mine.state == [])
        await list.settle()
        #expect(mine.state == [])
        #expect(list.state.items.map(\.isDone) == [true])
    }

    @Test func `nobody sees the wish of somebody else`() async {
        let list = TestRoom(listRoom)
        list.dispatch(Wish(text: "Chocolate"), as: Identity("ada"))
        let ada = RemoteStore(ShoppingList.myWish, on: list.connect(as: Identity("ada")))
        let bob = RemoteStore(ShoppingList.myWish, on: list.connect(as: Identity("bob")))
        await list.settle()
        #expect(ada.state == "Chocolate")
        #expect(bob.state == "")
    }

    @Test func `what is open of somebody is theirs to see, and the owner's`() async {
        let list = TestRoom(listRoom)
        list.dispatch(AddItem(text: "Tea"), as: Identity("ada"))
        let stranger = list.connect(as: Identity("bob"))
        let owner = list.connect(as: Identity("eve", roles: ["owner"]))
        let refused = RemoteStore(ShoppingList.open, "ada", on: stranger)
        let shown = RemoteStore(ShoppingList.open, "ada", on: owner)
        await list.settle()
        #expect(refused.problem?.code == .forbidden)
        #expect(shown.state?.map(\.text) == ["Tea"])
    }

    @Test func `chance is the same at every replay`() {
        let chance = Chance(
            stamp: Stamp(id: "", sender: .server, time: Timestamp(secondsSince1970: 5), seed: 7))
        var first = Raffle()
        var second = Raffle()
        draw(&first, chance, from: ["ada", "bob", "eve"])
        draw(&second, chance, from: ["ada", "bob", "eve"])
        #expect(first == second)
        #expect(first.drawnAt == 5)
    }

    @Test func `tabs keep their stacks, and a deep link opens one`() {
        let store = Store(state: Place(), reducer: reducePlace)
        store.dispatch(SetStack(tab: .films, screens: [.film("mirror")]))
        open("/basket/checkout", in: store)
        #expect(store.state.tab == .basket)
        #expect(store.state.stacks[.films] == [.film("mirror")])
        open("/nowhere", in: store)
        #expect(store.state.tab == .basket)
    }
}
