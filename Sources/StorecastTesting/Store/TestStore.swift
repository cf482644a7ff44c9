public import Storecast
public import StorecastSync

/// A store whose every change a test has to expect.
///
/// ```swift
/// let todos = TestStore(state: Todos(), reducer: Todos.reduce)
/// todos.dispatch(AddTodo("tea")) { $0.titles = ["tea"] }
/// todos.dispatch(RemoveTodo("milk"))                      // changes nothing
/// ```
/// The closure says what the action changes, starting from the state before it; what is different
/// fails the test at that line, under Swift Testing and XCTest, with the difference in the message.
/// Without a closure nothing may change. After a failure the test goes on from the state as it is.
///
/// It takes reducers of ReSwift's form, reducers that work in place, and the whole of a room with
/// its rules, see ``init(_:limits:fileID:filePath:line:column:)``.
///
/// Not `Sendable`: it belongs to the test that makes it.
public final class TestStore<State: Equatable> {
    /// The store itself, for code under test that takes one. What it dispatches there has to be
    /// expected too, by ``expectChange(_:fileID:filePath:line:column:)``.
    public let store: Store<State>

    /// What `Stamped` actions get from a room; of no account for other stores.
    ///
    /// Set what a test depends on. With every dispatch, `id` and `seed` go on to the next number:
    /// the first action has the id `"1"` and the seed 1. The sender, who is anonymous at first, is
    /// whom the room's rules are asked about; the time is 0 at first.
    public var stamp = Stamp(
        id: "1", sender: .anonymous, time: Timestamp(secondsSince1970: 0), seed: 1)

    /// What the test knows the state to be.
    private var known: State?
    private let origin: CallSite
    private let send: (any Action, Stamp, CallSite) -> Rejection?
    /// Lets everything take effect that was dispatched and waits.
    private let settle: () -> Void
    private var dispatches: UInt64 = 1

    init(
        _ store: Store<State>, _ origin: CallSite, settle: @escaping () -> Void = {},
        send: @escaping (any Action, Stamp, CallSite) -> Rejection?
    ) {
        self.store = store
        self.origin = origin
        self.settle = settle
        self.send = send
        known = store.state
    }

    /// A store with a reducer that changes the state in place.
    public convenience init(
        state: State, middleware: [Middleware<State>] = [],
        reducer: @escaping InPlaceReducer<State>, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let store = Store(state: state, middleware: middleware, reducer: reducer)
        self.init(store, CallSite(fileID: fileID, filePath: filePath, line: line, column: column)) {
            action, _, _ in
            store.dispatch(action)
            return nil
        }
    }

    /// A store with a reducer of ReSwift's form, which makes the first state if there is none.
    public convenience init(
        reducer: @escaping Reducer<State>, state: State?, middleware: [Middleware<State>] = [],
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        let store = Store(reducer: reducer, state: state, middleware: middleware)
        self.init(store, CallSite(fileID: fileID, filePath: filePath, line: line, column: column)) {
            action, _, _ in
            store.dispatch(action)
            return nil
        }
    }

    /// Fails the test for a change that nobody has expected, at the line that made the store.
    deinit {
        expectNothingNew(at: origin)
    }

    /// The state as it is.
    public var state: State! {
        settle()
        return store.state
    }

    /// Dispatches an action and expects what it changes, with all that middleware makes of it
    /// before `dispatch` returns.
    ///
    /// `changes` makes the state before the action the state after it; without it they must be
    /// equal. What it throws fails the test, and so does an action that a room rejects.
    public func dispatch(
        _ action: any Action, changes: ((inout State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        if let rejection = attempt(action, at: site) {
            site.report(
                "\(type(of: action)) was rejected as \(rejection.code): \(rejection.description)")
        }
        expect(changes, of: "\(type(of: action))", at: site)
    }

    /// Expects what has changed since the last expectation: by actions that middleware, thunks or
    /// other code under test dispatched by themselves; `changes` is as for
    /// ``dispatch(_:changes:fileID:filePath:line:column:)``.
    public func expectChange(
        _ changes: @escaping (inout State) throws -> Void, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        expect(
            changes, of: "What was dispatched since the last expectation",
            at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Dispatches an action after a look at what nobody has expected; answers why a room refuses
    /// it.
    func attempt(_ action: any Action, at site: CallSite) -> Rejection? {
        expectNothingNew(at: site)
        known = state
        defer {
            dispatches += 1
            stamp.id = String(dispatches)
            stamp.seed = dispatches
        }
        return send(action, stamp, site)
    }

    /// Compares the state with the last one known, changed as the test says, and knows it then.
    func expect(
        _ changes: ((inout State) throws -> Void)?, of cause: String, at site: CallSite
    ) {
        defer { known = state }
        guard let before = known, let after = state else { return }
        guard let changes else {
            if before != after {
                site.report(
                    "\(cause) changed the state; a closure has to say how: …",
                    from: ("Before", before), to: ("After", after))
            }
            return
        }
        do {
            var expected = before
            try changes(&expected)
            if expected != after {
                site.report(
                    "\(cause) left another state than expected: …",
                    from: ("Expected", expected), to: ("Actual", after))
            } else if before == after {
                site.report("\(cause) changed nothing, nor does the closure: leave it out.")
            }
        } catch {
            site.report("The expected changes threw an error: \(error)")
        }
    }

    private func expectNothingNew(at site: CallSite) {
        guard let known, let state, known != state else { return }
        site.report(
            "The state has changed since the last expectation; expectChange has to say how: …",
            from: ("Before", known), to: ("After", state))
    }
}
