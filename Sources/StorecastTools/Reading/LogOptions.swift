import ArgumentParser
import StorecastSQLite
import StorecastSync

/// Which entries of a room are shown.
struct LogOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Begin behind this offset.", valueName: "offset"))
    var after: UInt64?

    @Option(
        help: ArgumentHelp("Begin with the entry that led to this version.", valueName: "version"))
    var from: UInt64?

    @Option(help: ArgumentHelp("End before what came after this version.", valueName: "version"))
    var to: UInt64?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "Only entries with an action of this type; may be said more than once.",
            valueName: "name"))
    var types: [String] = []

    @Option(help: ArgumentHelp("Only what this user sent.", valueName: "user"))
    var sender: String?

    @Option(help: ArgumentHelp("Only what this client sent.", valueName: "id"))
    var client: String?

    @Option(help: ArgumentHelp("At most so many entries.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        if after != nil, from != nil {
            throw ValidationError("Say --after or --from: where it begins is said once.")
        }
        if let from, let to, from > to {
            throw ValidationError("Version \(from) comes after \(to): there is nothing between.")
        }
        if let limit, limit < 0 { throw ValidationError("A limit isn't negative.") }
    }

    /// Whether versions have to be known.
    var needsVersions: Bool { from != nil || to != nil }

    func isWanted(_ travelled: TravelledEntry) -> Bool {
        if let from, (travelled.replayed?.version ?? 0) < from { return false }
        guard let record = travelled.entry.record else {
            return types.isEmpty && sender == nil && client == nil
        }
        let dispatched = record.actions.map(\.type) + [record.refused?.type].compactMap(\.self)
        return (types.isEmpty || dispatched.contains { isWanted(type: $0) })
            && (sender ?? record.sender.id).isSameText(as: record.sender.id)
            && (client ?? record.client).isSameText(as: record.client)
    }

    private func isWanted(type: String) -> Bool { types.contains { $0.isSameText(as: type) } }

    /// Whether the entry, and all behind it, came too late.
    func isTooLate(_ travelled: TravelledEntry) -> Bool {
        guard let to, let version = travelled.replayed?.version else { return false }
        return version > to
    }
}
