import StorecastSync

/// Something that somebody looks at: a selection of the devtools' room, with its parameters.
enum DevtoolsQuestion: Hashable, Codable, Sendable {
    case rooms
    case graphs(RoomPlace)
    case room(RoomPlace)
    case log(LogPlace)
    case entry(EntryPlace)
    case state(RoomPlace)
    case stateAt(VersionPlace)
    case history(HistoryPlace)
    case lines(LinesPlace)

    /// The room that it is about; nil if it is about all.
    var room: ExactString? {
        switch self {
        case .rooms: nil
        case .graphs(let place): place.room == "" ? nil : place.room
        case .room(let place), .state(let place): place.room
        case .log(let place): place.room
        case .entry(let place): place.room
        case .stateAt(let place): place.room
        case .history(let place): place.room
        case .lines(let place): place.room
        }
    }

    /// Whether the answer comes with the reports that loops make once a second.
    var isAboutRates: Bool {
        switch self {
        case .rooms, .graphs, .room: true
        default: false
        }
    }

    /// Whether the answer stays what it is, whatever happens from now on.
    var isSettled: Bool {
        switch self {
        case .stateAt, .history: true
        default: false
        }
    }

    /// Whether the answer is looked up in the journal, once.
    var isOfThePast: Bool {
        switch self {
        case .stateAt, .history, .lines: true
        default: false
        }
    }
}

/// A room, by its path.
struct RoomPlace: Hashable, Codable, Sendable {
    var room: ExactString
}

/// The newest dispatches of a room; with `type`, those with an action whose name contains it.
struct LogPlace: Hashable, Codable, Sendable {
    var room: ExactString
    var type: ExactString?
}

/// A dispatch in a room's log, by its number there.
struct EntryPlace: Hashable, Codable, Sendable {
    var room: ExactString
    var number: UInt64
}

/// A room at a version; with `skip`, as if the dispatches that led to those versions hadn't been.
struct VersionPlace: Hashable, Codable, Sendable {
    var room: ExactString
    var version: UInt64
    var skip: [UInt64]?
}

/// The dispatches of a room up to a version.
struct HistoryPlace: Hashable, Codable, Sendable {
    var room: ExactString
    var through: UInt64
}

/// A page of a room's journal, as lines: what comes behind an offset, 0 for the header and the
/// start.
struct LinesPlace: Hashable, Codable, Sendable {
    var room: ExactString
    var after: UInt64
}
