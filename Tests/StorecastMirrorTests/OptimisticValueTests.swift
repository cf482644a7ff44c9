import StorecastSync
import Testing

@testable import StorecastMirror

private struct Write: SyncAction { var text: String }

struct OptimisticValueTests {
    private var view = OptimisticValue<[String]> { lines, action in
        if let write = action as? Write { lines.append(write.text) }
    }

    private func action(_ seq: UInt64, _ text: String) -> PendingAction {
        PendingAction(seq: seq, action: Write(text: text))
    }

    private func pending(_ revision: UInt64, through: UInt64, _ actions: PendingAction...)
        -> PendingActions
    {
        PendingActions(revision: revision, through: through, actions: actions)
    }

    @Test mutating func `before the first value there is nothing to run actions on`() {
        view.show(action(1, "a"))
        #expect(view.value == nil)
        view.take((["server"], 0), nil)
        #expect(view.value == ["server", "a"])
    }

    @Test mutating func `an action is left to the server from the value on that holds it`() {
        view.take(([], 0), nil)
        view.show(action(1, "a"))
        view.show(action(2, "b"))
        #expect(view.value == ["a", "b"])
        view.take((["a"], 1), nil)
        #expect(view.value == ["a", "b"])
        view.take((["a", "b"], 2), nil)
        #expect(view.value == ["a", "b"])
        view.take(nil, pending(1, through: 2))
        #expect(view.value == ["a", "b"])
    }

    @Test mutating func `actions are run again in order when the server's value moves`() {
        view.take(([], 0), nil)
        view.show(action(1, "a"))
        view.show(action(2, "b"))
        view.take((["theirs"], 0), nil)
        #expect(view.value == ["theirs", "a", "b"])
    }

    @Test mutating func `what isn't in a newer list is taken back`() {
        view.take(([], 0), nil)
        view.show(action(1, "a"))
        view.show(action(2, "b"))
        view.take(nil, pending(1, through: 2, action(2, "b")))
        #expect(view.value == ["b"])
    }

    @Test mutating func `what a list can't know of yet stays`() {
        view.take(([], 0), nil)
        view.show(action(1, "a"))
        view.show(action(2, "b"))
        view.take(nil, pending(1, through: 1, action(1, "a")))
        #expect(view.value == ["a", "b"])
    }

    @Test mutating func `an older list is passed over`() {
        view.take(([], 0), pending(5, through: 2))
        view.take(nil, pending(4, through: 1, action(1, "a")))
        #expect(view.value == [])
    }

    @Test mutating func `actions that others dispatched come with the list`() {
        view.take(([], 0), pending(1, through: 1, action(1, "a")))
        view.show(action(2, "b"))
        #expect(view.value == ["a", "b"])
    }

    @Test mutating func `a value of another history takes back what it doesn't hold any more`() {
        view.take((["a"], 1), pending(1, through: 2, action(1, "a"), action(2, "b")))
        #expect(view.value == ["a", "b"])
        // The server lost 1 and 2, and is sent both again.
        view.take(([], 0), nil)
        #expect(view.value == ["a", "b"])
    }
}
