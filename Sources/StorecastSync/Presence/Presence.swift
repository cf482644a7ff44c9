public import Storecast
import StorecastWire

/// Who is in a room: a ready-made part of its state.
///
/// ```swift
/// struct Board: Codable, Sendable {
///     var presence = Presence()
///     static let present = Selection("present") { (board: Board) in board.presence.participants }
///     @Sendable static func reduce(_ board: inout Board, _ action: any Action) {
///         board.presence.reduce(action)
///         …
///     }
///     static let room = RoomDefinition(…, actions: [SetStatus.self, …], …).lifecycle()
/// }
/// ```
/// People are told apart by their identities, so that one with three devices is there once. All
/// anonymous clients together are one participant, with the id `""`.
///
/// It takes bounded space: ``limit`` participants are listed, with a bounded status; of those who
/// come when the list is full only the clients are counted.
public struct Presence: Codable, Equatable, Sendable {
    /// How many participants are listed; 1,000.
    public static let limit = 1_000
    /// How many bytes of UTF-8 of a status are kept; 100.
    public static let statusBytes = 100

    /// Those who are there, in the order in which they came.
    public private(set) var participants: [Participant] = []
    /// How many clients are there whose users aren't listed.
    public private(set) var unlisted = 0

    /// Nobody is there.
    public init() {}

    /// Takes ``ClientJoined``, ``ClientLeft`` and ``SetStatus``; ignores any other action.
    ///
    /// Linear in the number of participants for these three.
    public mutating func reduce(_ action: any Action) {
        switch action {
        case let joined as ClientJoined: join(joined.user, at: joined.stamp.time)
        case let left as ClientLeft: leave(left.user)
        case let set as SetStatus: setStatus(set.status, of: set.stamp.sender)
        default: break
        }
    }

    private mutating func join(_ user: String, at time: Timestamp) {
        if let place = place(of: user) {
            participants[place].clients += 1
        } else if participants.count < Self.limit {
            participants.append(Participant(id: user, since: time))
        } else {
            unlisted += 1
        }
    }

    private mutating func leave(_ user: String) {
        guard let place = place(of: user) else { return unlisted = max(0, unlisted - 1) }
        participants[place].clients -= 1
        if participants[place].clients == 0 { participants.remove(at: place) }
    }

    /// All anonymous clients are one participant, which has no status.
    private mutating func setStatus(_ status: String?, of sender: Identity) {
        guard sender != .anonymous, let place = place(of: sender.id) else { return }
        participants[place].status = status?.excerpt(Self.statusBytes)
    }

    private func place(of user: String) -> Int? {
        participants.firstIndex { $0.id.isSameText(as: user) }
    }
}

extension Presence {
    /// Someone who is in the room, with one client or several.
    public struct Participant: Codable, Equatable, Sendable, Identifiable {
        /// The id of the identity; `""` for all who are anonymous.
        public let id: String
        /// How many clients they have in the room; at least 1.
        public internal(set) var clients: Int
        /// When the first of these came.
        public let since: Timestamp
        /// What they said of themselves by ``SetStatus``.
        public internal(set) var status: String?

        /// A participant.
        public init(id: String, clients: Int = 1, since: Timestamp, status: String? = nil) {
            self.id = id
            self.clients = clients
            self.since = since
            self.status = status
        }
    }
}
