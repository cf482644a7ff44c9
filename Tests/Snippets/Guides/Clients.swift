import Counter
import StorecastClient

/// What pages show of clients.
@MainActor func followCounter() async {
    // snippet: counter-client
    let connection = RemoteConnection("ws://127.0.0.1:9090/", room: Counter.room)
    let total = RemoteStore(Counter.total, on: connection, optimistic: Counter.room)
    total.dispatch(Increase())
    for await count in total.states { print(count) }
    // end of snippet
}

protocol SignIn: Sendable {
    nonisolated(nonsending) func token() async throws -> String
}

// snippet: list-model
import Observation

@MainActor @Observable final class ListModel {
    let items: RemoteStore<[Item]>
    private(set) var problem: String?

    init(_ connection: RemoteConnection) {
        items = RemoteStore(
            ShoppingList.items, on: connection, optimistic: ShoppingList.room)
    }

    func add(_ text: String) {
        let dispatch = items.dispatch(AddItem(text: text))  // shown at once
        Task { await report(dispatch) }
    }

    func setDone(_ item: Item, _ isDone: Bool) {
        let dispatch = items.dispatch(SetDone(item: item.id, isDone: isDone))
        Task { await report(dispatch) }
    }

    private func report(_ dispatch: Dispatch) async {
        do { _ = try await dispatch.outcome } catch { problem = "\(error)" }
    }
}
// end of snippet

@MainActor func connect(_ signIn: any SignIn, support: String) -> ListModel {
    // snippet: list-connection
    let connection = RemoteConnection(
        "wss://list.example/", room: ShoppingList.room, token: { try await signIn.token() },
        outbox: .file("\(support)/ada.outbox", limits: OutboxLimits(count: 10_000)),
        cache: .file("\(support)/ada.cache", viewer: "ada"))
    let model = ListModel(connection)
    // end of snippet
    return model
}

@MainActor func followItems(_ connection: RemoteConnection) -> RemoteStore<[Item]> {
    // snippet: optimistic-store
    let items = RemoteStore(
        ShoppingList.items, on: connection, optimistic: ShoppingList.room)
    // end of snippet
    return items
}

@MainActor func followOpenItems(
    _ connection: RemoteConnection, of me: String
) -> RemoteStore<[Item]> {
    // snippet: optimistic-reducer
    let mine = RemoteStore(ShoppingList.open, me, on: connection) { items, action in
        ShoppingList.reduceItems(&items, action)
        items.removeAll { $0.isDone || $0.author != me }
    }
    // end of snippet
    return mine
}

@MainActor func addAndTick(_ items: RemoteStore<[Item]>) {
    // snippet: provisional-id
    items.dispatch(AddItem(text: "Tea"))  // shown before this returns
    if let tea = items.state?.last?.id {  // the id that the server will give it
        items.dispatch(SetDone(item: tea, isDone: true))  // offline, too
    }
    // end of snippet
}

@MainActor private func showBar(_ text: String) { print(text) }

// snippet: status
@MainActor func showState(of connection: RemoteConnection) {
    withObservationTracking {
        let waiting = "\(connection.pendingCount) changes not saved yet"
        switch connection.status {
        case .live where connection.pendingCount == 0: showBar("Everything is saved")
        case .live, .connecting: showBar(waiting)
        case .offline(let outage): showBar("Offline, \(waiting): \(outage.reason)")
        case .closed(let rejection): showBar(rejection?.description ?? "Closed")
        }
    } onChange: {  // before it changes
        Task { @MainActor in showState(of: connection) }
    }
}
// end of snippet

@MainActor func followEarlierDispatches(_ connection: RemoteConnection) {
    // snippet: pending
    for pending in connection.pending {  // those of the last start, too
        Task {
            do { _ = try await pending.dispatch.outcome } catch {
                print("\(pending.type) wasn't taken: \(error)")
            }
        }
    }
    // end of snippet
}

// snippet: follow-a-selection
/// Ends when the task is cancelled.
func followItems(
    on connection: RemoteConnection, _ receive: @escaping @Sendable ([Item]) -> Void
) -> Task<Void, Never> {
    Task { @MainActor in
        let store = RemoteStore(ShoppingList.items, on: connection)
        for await items in store.states { receive(items) }
        withExtendedLifetime(store) {}
    }
}
// end of snippet
