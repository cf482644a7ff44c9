import StorecastClient
import StorecastObservation

/// A view of one row, without a user interface.
@MainActor final class ParcelLabel: StoreSubscriber {
    private(set) var texts: [String] = []

    func newState(state: Parcel?) {
        texts.append(state.map { $0.isDelivered ? "delivered" : "due at \($0.due)" } ?? "gone")
    }
}

@MainActor func follow(
    _ connection: RemoteConnection, _ label: ParcelLabel
) -> ObservedRows<Parcel> {
    // snippet: large-observed
    let parcels = RemoteStore(Depot.allParcels, on: connection)
    parcels.subscribe(label) { $0.select(\.self, id: "p7") }  // hears of this row only
    let rows = parcels.observedRows(of: \.self)  // rows.ids and rows["p7"] are tracked apart
    // end of snippet
    return rows
}

// snippet: large-page
@MainActor func makePage(
    _ place: VanPage, on connection: RemoteConnection
) async -> RemoteStore<RowPage<Parcel>> {
    let page = RemoteStore(Depot.van, place, on: connection) { page, action in  // optimistic
        if let deliver = action as? Deliver { page.rows.removeAll { $0.id == deliver.parcel } }
    }
    for await _ in page.states { break }  // until its rows are there
    return page
}
// end of snippet

@MainActor func turnPages(_ connection: RemoteConnection) async -> [RemoteStore<RowPage<Parcel>>] {
    // snippet: large-turns
    let first = await makePage(VanPage(van: "north"), on: connection)
    let next = await makePage(VanPage(van: "north", after: first.state?.end), on: connection)
    let back = await makePage(VanPage(van: "north", before: next.state?.start), on: connection)
    // end of snippet
    return [first, next, back]
}
