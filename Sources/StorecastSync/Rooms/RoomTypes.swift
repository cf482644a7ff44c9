/// The types of what a room takes and shows.
package struct RoomTypes: Sendable {
    package let state: any (Codable & Sendable).Type
    /// Those that clients may dispatch, by their names on the wire.
    package let actions: [String: any SyncAction.Type]
    /// By the selections' names.
    package let selections: [String: (parameters: any (Codable & Sendable).Type, value: any (Codable & Sendable).Type)]
}
