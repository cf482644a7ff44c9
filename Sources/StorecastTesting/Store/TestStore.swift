import CustomDump
import IssueReporting
public import Storecast
public import StorecastRoom
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
    /// The store itself, for code under test that needs one. What it dispatches must be expected
    /// too, by ``expectChange(_:fileID:filePath:line:column:)``.
    public let store: Store<State>

    /// The stamp of the next `Stamped` action in a room; other stores ignore it.
    ///
    /// Set what a test depends on. With every dispatch, `id` and `seed` go on to the next number:
    /// the first action has the id `"1"` and the seed 1. The sender is anonymous at first, and the
    /// time is 0.
    public var stamp = Stamp(
        id: "1", sender: .anonymous, time: Timestamp(secondsSince1970: 0), seed: 1)

    /// The last state that the test has expected.
    private var known: State?
    private let origin: CallSite
    private let send: (any Action, Stamp, CallSite) -> Rejection?
    /// Lets everything take effect that was dispatched.
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

    /// Fails the test for an unexpected change, at the line that made the store.
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

    /// Expects what has changed since the last expectation, by actions that middleware, thunks or
    /// other code under test dispatched; `changes` is as for
    /// ``dispatch(_:changes:fileID:filePath:line:column:)``.
    public func expectChange(
        _ changes: @escaping (inout State) throws -> Void, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        expect(
            changes, of: "What was dispatched since the last expectation",
            at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Dispatches an action, after a check for unexpected changes; returns why a room rejects it.
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

    /// Compares the state with the last expected one, changed as the test says.
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

extension TestStore where State: Codable & Sendable {
    /// A store that does what a room does with the actions of one client.
    ///
    /// ```swift
    /// let board = TestStore(Board.room)
    /// board.stamp.sender = Identity("ada")
    /// board.dispatch(AddCard(text: "Tea")) { $0.cards = [Card(id: "1", author: "ada")] }
    /// board.expectRejection(of: AddCard(text: ""), .invalid)
    /// ```
    /// It is the room that a server has, with its journal in memory: each action is written as JSON
    /// and read back, asked its rule, stamped with ``stamp``, sent through the middleware that `onOpen`
    /// adds, logged, validated and reduced. Then the journal is read once more: a reducer or a
    /// check that isn't deterministic fails the test, and so does what a server would log as a
    /// problem.
    ///
    /// With `Identity.server` as the stamp's sender an action is dispatched as by the server's own
    /// code: no rule is asked, and only so does a room take `RevertTo` by itself. If the definition
    /// has any rule, what none is about is refused, as on a server that asks clients who they are.
    ///
    /// Of several actions that middleware makes of one, the second has the id `"1.1"` if the first
    /// has `"1"`, and so on. What it dispatches by itself later, and what a test dispatches on
    /// ``store``, comes from `Identity.server`, with the ids `"server-1"`, `"server-2"`, …, and
    /// takes effect after the call, as on a server: expect it by
    /// ``expectChange(_:fileID:filePath:line:column:)``. A ``TestRoom`` has clients as well, and
    /// time that passes. The room has its rules as it is given to a server, and that server's
    /// limits.
    public convenience init(
        _ room: RoomDefinition<State>, limits: SyncLimits = SyncLimits(),
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        let origin = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        let room = RehearsedRoom(room, limits: limits, origin)
        self.init(room.store, origin, settle: { room.settle() }) { room.dispatch($0, $1, at: $2) }
    }

    /// Dispatches an action and expects that the room rejects it with this code, or with any if
    /// there is none, and stays as it is.
    ///
    /// - Returns: the rejection, to look at its title and detail; nil if there was none, which has
    ///   failed the test.
    @discardableResult
    public func expectRejection(
        of action: any SyncAction, _ code: Rejection.Code? = nil, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> Rejection? {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        let rejection = attempt(action, at: site)
        if let rejection, let code, rejection.code != code {
            site.report(
                """
                \(type(of: action)) was rejected as \(rejection.code) instead of \(code): \
                \(rejection.description)
                """)
        } else if rejection == nil {
            site.report("\(type(of: action)) was not rejected.")
        }
        expect(nil, of: "\(type(of: action))", at: site)
        return rejection
    }
}

/// The place of an expectation in a test, at which its failure is reported, under Swift Testing and
/// under XCTest.
struct CallSite {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    /// Fails the test.
    func report(_ problem: String) {
        reportIssue(problem, fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Fails the test with what is different between two values.
    func report<Value>(_ problem: String, from first: (String, Value), to second: (String, Value)) {
        let difference = diff(first.1, second.1) ?? "None that shows; look at the types' own `==`."
        let lines = difference.split(separator: "\n", omittingEmptySubsequences: false)
        report(
            """
            \(problem)

            \(lines.map { "    \($0)" }.joined(separator: "\n"))

            (\(first.0): -, \(second.0): +)
            """)
    }
}
