import StorecastRoom
import Testing

struct ServerSessionTransactionTests {
    let loop = TestLoop()

    private func watch(_ room: Room<Shop>, _ client: String, _ selections: String...) -> Wire {
        let wire = Wire.greeted(room, on: loop, client: client)
        for (ref, selection) in selections.enumerated() {
            wire.say(#"{"op":"subscribe","ref":\#(ref),"select":"\#(selection)"}"#)
        }
        _ = wire.hear()
        return wire
    }

    @Test func `the dispatcher's patch comes in a transaction that settles, another's bare`() {
        let room = loop.open(Shop.room)
        let ada = watch(room, .ada, "tea")
        let bob = watch(room, .bob, "tea")
        ada.dispatch(1, "AddTea", #"{"by":2}"#)
        #expect(
            ada.hear() == [
                parsed(#"{"op":"transaction","v":1,"count":1,"acked":1}"#),
                parsed(#"{"op":"snapshot","sub":1,"v":1,"value":2}"#),
            ])
        #expect(bob.hear() == [parsed(#"{"op":"snapshot","sub":1,"v":1,"value":2}"#)])
    }

    @Test func `several selections of a connection move in one transaction`() {
        let room = loop.open(Shop.room)
        let bob = watch(room, .bob, "tea", "coffee", "log")
        room.dispatch(AddTea(by: 1), DispatchOutcome())
        room.dispatch(AddCoffee(by: 1), DispatchOutcome())
        loop.endTurn()
        let heard = bob.hear()
        #expect(heard.ops == ["transaction", "snapshot", "snapshot"])
        #expect(heard[0] == parsed(#"{"op":"transaction","v":2,"count":2}"#))
        #expect(Set(heard.dropFirst().map { $0["sub"] }).count == 2)
    }

    @Test func `many dispatches of one turn are settled at once`() {
        let room = loop.open(Shop.room)
        let ada = watch(room, .ada, "tea")
        let frames = (1...5).map { dispatchFrame($0, "AddTea", #"{"by":1}"#) }
        ada.say("[\(frames.joined(separator: ","))]")
        #expect(
            ada.hear() == [
                parsed(#"{"op":"transaction","v":5,"count":1,"acked":5}"#),
                parsed(#"{"op":"snapshot","sub":1,"v":5,"value":5}"#),
            ])
    }

    @Test func `a dispatch that changes nothing mirrored is settled by an empty transaction`() {
        let ada = watch(loop.open(Shop.room), .ada, "tea")
        ada.dispatch(1, "AddCoffee", #"{"by":1}"#)
        #expect(ada.hear() == [parsed(#"{"op":"transaction","v":1,"count":0,"acked":1}"#)])
    }

    @Test func `a reject comes before the transaction that covers it, and raises no version`() {
        let ada = watch(loop.open(Shop.room), .ada, "tea")
        ada.say(
            "[\(dispatchFrame(1, "AddTea", #"{"by":1}"#)),\(dispatchFrame(2, "Nope")),"
                + "\(dispatchFrame(3, "AddTea", #"{"by":1}"#))]")
        let heard = ada.hear()
        #expect(heard.ops == ["reject", "transaction", "snapshot"])
        #expect(heard[0]["seq"] == 2)
        #expect(heard[0]["retryable"] == false)
        #expect(heard[1] == parsed(#"{"op":"transaction","v":2,"count":1,"acked":3}"#))
    }

    @Test func `a turn with two batches of the journal still ends at the newest version`() {
        // A subscriber of the room's own store dispatches while the first batch is reduced.
        let echo = Echo()
        let room = loop.open(Shop.room.onOpen { $0.subscribe(echo) })
        let ada = watch(room, .ada, "tea", "log")
        echo.dispatch = { room.store.dispatch(Write(text: "tea is \($0)")) }
        ada.dispatch(1, "AddTea", #"{"by":3}"#)
        let heard = ada.hear()
        #expect(heard.ops == ["transaction", "snapshot", "snapshot"])
        #expect(heard[0] == parsed(#"{"op":"transaction","v":2,"count":2,"acked":1}"#))
        #expect(room.store.state == Shop(tea: 3, log: ["tea is 3"]))
    }
}

/// Dispatches once for every amount of tea.
private final class Echo: StoreSubscriber, @unchecked Sendable {
    // Unchecked: a test's room and this object are used on one thread.
    var dispatch: (Int) -> Void = { _ in }
    private var last = 0

    func newState(state: Shop) {
        guard state.tea != last else { return }
        last = state.tea
        dispatch(state.tea)
    }
}
