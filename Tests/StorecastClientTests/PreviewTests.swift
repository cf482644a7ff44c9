import Observation
import StorecastClient
import TestSupport
import Testing

/// Views are shown with values that no server has sent.
@MainActor @Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct PreviewTests {
    /// As a view has it.
    @MainActor private struct CountView {
        var count = RemoteStore<Int>.preview(7)
        var body: String { "\(count.state ?? 0) \(count.connection.status)" }
    }

    /// As an app has it.
    @MainActor private struct ShelfView {
        static let connection = RemoteConnection.preview(room: Shelf.room())
        var titles = RemoteStore(Shelf.titles, on: connection, optimistic: Shelf.room())
    }

    private struct Count: SyncAction {}

    @Test func `a view has a store with a value in one line`() {
        #expect(CountView().body == "7 live")
        #expect(CountView(count: .preview(nil)).body == "0 live")
    }

    @Test func `it belongs to the main actor then`() {
        let view = ShelfView()
        #expect(view.titles.state == nil)
        #expect(view.titles.connection.status == .live)
    }

    /// What is said there isn't looked at: Swift 6.3 prints another text than it is given.
    @Test func `without an actor there is no store`() async {
        await #expect(processExitsWith: .success) {
            await Task { @MainActor in _ = RemoteStore<Int>.preview(7) }.value
        }
        await #expect(processExitsWith: .failure) {
            await Task.detached { _ = RemoteStore<Int>.preview(7) }.value
        }
    }

    @Test func `a connection looks as a preview wants it`() {
        let outage = Outage(
            since: Timestamp(secondsSince1970: 0), retryAt: Timestamp(secondsSince1970: 60),
            reason: "There is no network.")
        let view = CountView(count: .preview(7, on: .preview(.offline(outage))))
        #expect(view.body == "7 offline: There is no network.")
        #expect(RemoteConnection.preview(identity: Identity("ada")).identity == Identity("ada"))
    }

    @Test func `buttons work with a reducer, and the view hears of it`() {
        let count = RemoteStore.preview(7) { count, action in
            if action is Count { count += 1 }
        }
        let changes = Tally()
        withObservationTracking {
            _ = count.state
        } onChange: {
            changes.increase()
        }
        count.dispatch(Count())
        #expect(count.state == 8)
        #expect(changes.count == 1)
        #expect(count.connection.pendingCount == 1)
    }

    @Test func `nobody is connected to`() async {
        let connection = RemoteConnection.preview
        connection.reconnect()
        #expect(await connection.settledStatus == .live)
        let dispatch = connection.dispatch(Count())
        connection.close()
        #expect(await connection.settledStatus == .closed(nil))
        await #expect(throws: Rejection.self) { try await dispatch.outcome }
    }
}
