import StorecastServer
import StorecastTools

/// Which schema documents have, for `Tests/Storm` alone: its servers share rooms, and may have
/// different ones. Everybody else's have schema 1. From 2 on, their member `schema` says which.
struct StormSchema {
    static let variable = "STORECAST_STORM_SCHEMA"
    private static let member = "schema"

    private let version: Int

    init(_ environment: [String: String]) {
        version = environment[Self.variable].flatMap { Int($0) }.map { max(1, $0) } ?? 1
    }

    /// A room whose documents have this schema, and are brought up to it from all before.
    ///
    /// - Parameter initial: with schema 1.
    func definition(initial: JSON, bytes: Int) throws -> RoomDefinition<SharedDocument> {
        var document = initial
        for step in 1..<version { try Self.raise(&document, from: step) }
        return (1..<version).reduce(JSONRoom.definition(initial: document, bytes: bytes)) {
            room, step in
            room.upcastState(from: step) { try Self.raise(&$0, from: step) }
        }
    }

    /// From one schema to the next. Throws if the document hasn't `version`: then a step was left
    /// out, or done twice.
    private static func raise(_ document: inout JSON, from version: Int) throws {
        guard document.object != nil, document[member]?.int ?? 1 == version else {
            throw CommandFailure(
                .trouble, "The document hasn't schema \(version), which it is to be raised from.")
        }
        document[member] = .int(Int64(version + 1))
    }
}
