import StorecastSync

/// A question to the devtools: a selection of their room, with its parameters.
enum DevtoolsQuestion: Hashable, Codable, Sendable {
    case rooms
    case revocations
    case cluster
    case connections(ConnectionsParameters)
    case graphs(RoomParameters)
    case room(RoomParameters)
    case log(LogParameters)
    case entry(EntryParameters)
    case state(RoomParameters)
    case stateAt(OfRoom<VersionParameters>)
    case history(HistoryParameters)
    case lines(LinesParameters)
    case change(OfRoom<ChangeParameters>)
    case first(OfRoom<FirstParameters>)
    case outcomes(OutcomesParameters)
    case actions(RoomParameters)
    case turns(RoomParameters)
    case importedAt(OfImport<VersionParameters>)
    case importedChange(OfImport<ChangeParameters>)
    case importedFirst(OfImport<FirstParameters>)
    case importedOutcomes(ImportParameters)

    /// The room that it is about; nil if it is about all.
    var room: ExactString? {
        switch self {
        case .rooms, .revocations, .cluster, .connections, .importedAt, .importedChange,
            .importedFirst, .importedOutcomes:
            nil
        case .graphs(let parameters): parameters.room == "" ? nil : parameters.room
        case .room(let parameters), .state(let parameters), .actions(let parameters),
            .turns(let parameters):
            parameters.room
        case .log(let parameters): parameters.room
        case .entry(let parameters): parameters.room
        case .stateAt(let parameters): parameters.past.room
        case .history(let parameters): parameters.room
        case .lines(let parameters): parameters.room
        case .change(let parameters): parameters.past.room
        case .first(let parameters): parameters.past.room
        case .outcomes(let parameters): parameters.room
        }
    }

    /// Whether the answer comes with the reports that loops make once a second.
    var isAboutRates: Bool {
        switch self {
        case .rooms, .revocations, .connections, .graphs, .room, .turns: true
        default: false
        }
    }

    /// Whether the answer stays the same, whatever happens from now on.
    var hasFinalAnswer: Bool {
        switch self {
        case .stateAt, .history, .change, .first, .outcomes, .actions: true
        default: isOfImport
        }
    }

    /// Whether the answer is found once, away from the loop: mostly from the journal.
    var isOfThePast: Bool {
        switch self {
        case .lines: true
        default: hasFinalAnswer
        }
    }

    /// What the imported log is called that it is about; nil if it is about none.
    var importID: ExactString? {
        switch self {
        case .importedAt(let parameters): parameters.past.id
        case .importedChange(let parameters): parameters.past.id
        case .importedFirst(let parameters): parameters.past.id
        case .importedOutcomes(let parameters): parameters.id
        default: nil
        }
    }

    /// Whether it is about a log that the devtools' own room has, on its loop.
    var isOfImport: Bool {
        importID != nil
    }
}

/// A room, by its path.
struct RoomParameters: Hashable, Codable, Sendable {
    var room: ExactString
}

/// An imported log; as a question, which of its entries led to no version.
struct ImportParameters: Hashable, Codable, Sendable {
    var id: ExactString
}

/// What is asked of a past, of a room or of an imported log: on the wire, the members of both in
/// one object.
struct PastParameters<Past, Asked>: Hashable, Codable, Sendable
where Past: Hashable & Codable & Sendable, Asked: Hashable & Codable & Sendable {
    var past: Past
    var asked: Asked

    init(_ past: Past, _ asked: Asked) {
        self.past = past
        self.asked = asked
    }

    init(from decoder: any Decoder) throws {
        past = try Past(from: decoder)
        asked = try Asked(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try past.encode(to: encoder)
        try asked.encode(to: encoder)
    }
}

typealias OfRoom<Asked: Hashable & Codable & Sendable> = PastParameters<RoomParameters, Asked>
typealias OfImport<Asked: Hashable & Codable & Sendable> = PastParameters<ImportParameters, Asked>

/// Those of a room, or of an identity, if they are named.
struct ConnectionsParameters: Hashable, Codable, Sendable {
    var room: ExactString?
    var identity: ExactString?
}

/// The newest dispatches of a room; with `type`, those with an action whose name contains it.
struct LogParameters: Hashable, Codable, Sendable {
    var room: ExactString
    var type: ExactString?
}

/// A dispatch in a room's log, by its number there.
struct EntryParameters: Hashable, Codable, Sendable {
    var room: ExactString
    var number: UInt64
}

/// A state at a version; with `skip`, without the dispatches that led to those versions.
struct VersionParameters: Hashable, Codable, Sendable {
    var version: UInt64
    var skip: [UInt64]?
}

/// The dispatches of a room up to a version.
struct HistoryParameters: Hashable, Codable, Sendable {
    var room: ExactString
    var through: UInt64
}

/// A page of a room's journal, as lines: what comes behind an offset, 0 for the header and the
/// start.
struct LinesParameters: Hashable, Codable, Sendable {
    var room: ExactString
    var after: UInt64
}

/// The last dispatch up to a version that changed what a JSON Pointer leads to.
struct ChangeParameters: Hashable, Codable, Sendable {
    var path: ExactString
    var through: UInt64
}

/// The first version from one on, up to another, at which what a JSON Pointer leads to compares so
/// with a value.
struct FirstParameters: Hashable, Codable, Sendable {
    var path: ExactString
    var test: PlaceComparison
    var value: JSON?
    var from: UInt64
    var through: UInt64
}

/// Which entries of a room's journal led to no version, up to one.
struct OutcomesParameters: Hashable, Codable, Sendable {
    var room: ExactString
    var through: UInt64
}

/// How a place of a state is compared.
enum PlaceComparison: String, Hashable, Codable, Sendable {
    case equals = "="
    case differs = "!="
    case isLess = "<"
    case isGreater = ">"
    case exists
    case isMissing = "missing"
}
