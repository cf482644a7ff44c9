public import StorecastWire

/// An action as an earlier version of the application wrote it to the journal.
public struct ArchivedAction: Equatable, Sendable {
    /// Its name on the wire.
    public var type: String
    /// Its members.
    public var payload: JSON

    /// An action by its name and members.
    public init(type: String, payload: JSON) {
        self.type = type
        self.payload = payload
    }
}
