public import StorecastSync

// snippet: large-rows
public struct VanPage: Codable, Hashable, Sendable {
    public var van: String
    public var from = 0
    public var after: RowCursor?
    public var before: RowCursor?
}

extension Depot {
    public static let parcel = Selection("parcel", row: \Depot.parcels)

    public static let van = Selection("van", rows: \Depot.parcels) { (page: VanPage) in
        let parcels = RowQuery().where(\Parcel.van, is: page.van).where(\.isDelivered, is: false)
            .where(\.due, in: page.from...).sorted(by: \.due).limit(50).counted()
        return page.before == nil ? parcels.after(page.after) : parcels.before(page.before)
    }

    public static let mine = Selection("mine", rows: \Depot.parcels) {
        (_: NoParameters, me: Identity) in
        RowQuery().where(\.courier, is: me.id).sorted(by: \.due, descending: true).limit(50)
    }

    public static let waiting = Selection("waiting", rows: \Depot.queue) { (after: RowCursor?) in
        RowQuery().limit(50).after(after)
    }
}
// end of snippet

extension Depot {
    // snippet: large-more
    public static let loads = Selection("loads", aggregating: \Depot.parcels) { (_: NoParameters) in
        RowQuery().where(\.isDelivered, is: false)
            .aggregate(
                .combined(.count, .sum(\.grams), .min(\.due)) {
                    Load(parcels: $0, grams: $1, next: $2)
                }, groupedBy: \.van)
    }

    public static let withCouriers = Selection("withCouriers", rows: \Depot.parcels) {
        (van: String) in
        RowQuery().where(\.van, is: van).sorted(by: \.due).limit(50)
    }
    .joining(\.couriers, on: \.courier) { parcel, courier in
        VanLine(parcel: parcel.id, due: parcel.due, courier: courier?.name)
    }
    // end of snippet

    // snippet: large-closures
    public static let noticeBoard = Selection("notice") { (depot: Depot) in depot.notice }
        .reading(\.notice)

    public static let allParcels = Selection("allParcels") { (depot: Depot) in depot.parcels }
        .reading(\.parcels)
    // end of snippet
}

public struct Load: Codable, Equatable, Sendable {
    public var parcels: Int
    public var grams: Int
    public var next: Int?
}

public struct VanLine: Codable, Equatable, Sendable {
    public var parcel: Parcel.ID
    public var due: Int
    public var courier: String?
}
