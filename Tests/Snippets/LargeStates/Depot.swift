// snippet: large-state
public import StorecastSync

public struct Parcel: Codable, Equatable, Sendable, Identifiable {
    public let id: String
    public var van: String
    public var due: Int  // minutes since midnight
    public var grams = 0
    public var courier: String?
    public var isDelivered = false
}

public struct Depot: Codable, Sendable {
    public var parcels = Table<Parcel>()
    public var couriers = Table<Courier>()
    public var queue = OrderedTable<Parcel>()  // not on a van yet, in an order of our own
    public var notice = ""
}
// end of snippet

public struct Courier: Codable, Equatable, Sendable, Identifiable {
    public let id: String
    public var name: String
}

extension Parcel {
    init(_ id: String, van: String, due: Int, grams: Int = 0, courier: String? = nil) {
        (self.id, self.van, self.due, self.grams, self.courier) = (id, van, due, grams, courier)
    }
}

struct Deliver: SyncAction {
    var parcel: Parcel.ID
}

struct Hurry: SyncAction {
    var parcel: Parcel.ID
    var before: Parcel.ID
}

struct Add: SyncAction {
    var parcel: Parcel
}

struct Hire: SyncAction {
    var courier: Courier
}

struct Enqueue: SyncAction {
    var parcel: Parcel
}

struct Announce: SyncAction {
    var text: String
}

extension Depot {
    @Sendable static func reduce(_ depot: inout Depot, _ action: any Action) {
        switch action {
        // snippet: large-reducer
        case let add as Add: depot.parcels.update(add.parcel)
        case let deliver as Deliver: depot.parcels[id: deliver.parcel]?.isDelivered = true
        case let hurry as Hurry: depot.queue.move(id: hurry.parcel, before: hurry.before)
        // end of snippet
        case let hire as Hire: depot.couriers.update(hire.courier)
        case let enqueue as Enqueue: depot.queue.append(enqueue.parcel)
        case let announce as Announce: depot.notice = announce.text
        default: break
        }
    }

    static let definition = RoomDefinition(
        state: Depot(),
        actions: [
            Add.self, Announce.self, Deliver.self, Enqueue.self, Hire.self, Hurry.self,
        ],
        selections: [parcel, van, mine, waiting, loads, withCouriers, noticeBoard, allParcels],
        reducer: reduce)

    // snippet: large-upcast
    public static let room = definition.upcastState(from: 1) { depot in
        guard let parcels = depot["parcels"]?.object else { return }
        depot["parcels"] = .array(
            parcels.map { id, parcel in
                var parcel = parcel
                parcel["id"] = .string(id)
                return parcel
            })
    }
    // end of snippet
}
