import StorecastSync

/// The depot while it was small.
enum Before {
    struct Parcel: Codable, Equatable, Sendable {
        var van: String
        var due: Int
        var grams = 0
        var courier: String?
        var isDelivered = false
    }

    // snippet: large-before
    struct Depot: Codable, Sendable {
        var parcels: [String: Parcel] = [:]

        static let van = Selection("van") { (depot: Depot, van: String) in
            depot.parcels.values.filter { $0.van == van }.sorted { $0.due < $1.due }
        }
    }
    // end of snippet
}
