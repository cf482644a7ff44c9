package import StorecastSync
package import StorecastWire

/// A room that another server owns, at an edge: it has the values that its clients have selected,
/// once for all of them, and says to the owner what they say. Without I/O. Belongs to one loop.
///
/// Toward clients it is a room like any other. Toward the owner it is one connection, on which each
/// client has a session of its own there (``EdgeClients``): the owner lets clients in, asks the
/// rules, reduces what they dispatch and knows what became of it. Values come once for each group;
/// what is said to a client comes behind the values that it may be about, so that nobody is told of
/// an action before its effects, or of a position that this server hasn't reached.
///
/// While the owner is away clients stay: they keep what they see, and what they dispatch may come
/// again, when the owner has said what it knows of.
package final class MirroredRoom: AnyRoom {
    /// What this server says to the owner of who it is.
    package struct Credentials: Sendable, CustomStringConvertible, CustomReflectable {
        /// The key that the owner knows edges by.
        package var key: String
        /// An id as clients have; another for each room and process.
        package var client: String

        package init(key: String, client: String) {
            self.key = key
            self.client = client
        }

        /// Doesn't show the key.
        package var description: String { "credentials of \(client)" }

        package var customMirror: Swift.Mirror { Swift.Mirror(self, children: []) }
    }

    package let name: String
    package private(set) var limits: SyncLimits
    package private(set) var sessionLimits: SessionLimits
    /// A client waits in ``admit(_:_:)``, and not before it is known who it is.
    package internal(set) var phase = RoomPhase.ready
    package internal(set) var position = Position(epoch: "", version: 0)
    /// The owner's.
    package internal(set) var term: String?
    package var observer: (any RoomObserver)?
    package internal(set) var failure = Admission.Refusal.trouble

    unowned let loop: RoomLoop
    let credentials: Credentials
    /// Set before anything comes.
    package var uplink: (any EdgeUplink)?
    /// How long the uplink waits before it makes the next connection.
    package var backOff = BackOff.betweenServers
    /// Whether the owner has all rooms of this server: when it is away, clients are better
    /// elsewhere.
    package var hasOneOwner = true
    /// Whether somebody has come, and the connection is wanted.
    var isStarted = false
    /// How often in a row an owner said that there is no such room.
    var denials = 0
    /// Whether the owner has let this server in on the connection that there is.
    package internal(set) var isConnected = false
    /// Since when the owner has been away, or has owed a sign; nil if neither.
    var silentSince: Duration?
    /// As this server has them.
    var configured: SyncLimits
    /// How many connections to the owner were made.
    var greetings: UInt64 = 0
    /// How often the owner has let this server in while it had clients.
    var connections: UInt64 = 0
    /// What the owner takes of a client: more isn't taken here either.
    var ownerLimits: ServerFrame.Limits?
    var visitors: UInt64 = 0
    var guests: [UInt64: Guest] = [:]
    var groups: [UInt64: MirroredGroup] = [:]
    var owned: [UInt64: MirroredGroup] = [:]
    var lastSub: UInt64 = 0
    let recent = RecentSnapshots(limit: 4 << 20)
    var idle: [MirroredGroup] = []
    var isWatchingIdle = false
    var transaction: Transaction?
    /// How many have begun.
    var transactions: UInt64 = 0
    var isWatchingTransaction = false
    var isTakingEffect = false
    /// Whether the connection is to end when all that came together has taken effect, and what the
    /// owner said.
    var restartsThen = false
    var byeThen: ServerFrame.Bye?
    var resumption: Resumption?
    /// The clients that are still to be introduced on this connection.
    var introductions: ArraySlice<UInt64> = []
    var isIntroducing = false

    package init(
        _ name: String, limits: SyncLimits, loop: RoomLoop, _ credentials: Credentials
    ) {
        self.name = name
        self.limits = limits
        configured = limits
        sessionLimits = SessionLimits(limits)
        self.loop = loop
        self.credentials = credentials
    }

    deinit { uplink?.stop() }

    // MARK: As a room of a loop

    package func whenLoaded(_ body: @escaping (RoomPhase) -> Void) { body(phase) }

    package func isCertain(of client: String) -> Bool { true }
    package func whenCertain(of client: String, _ body: @escaping () -> Void) { body() }
    package func refusal(ofEntryTo identity: Identity) -> Rejection? { nil }
    package func report(_ error: any Error, of group: SelectionGroup) {
        loop.host.report(
            "Selection '\(group.key.selection)' of room '\(name)' can't be sent: \(error)")
    }
    package var isBehind: Bool { false }
    package func doubt() {}
    package var isCongested: Bool { false }
    package func admits(_ viewer: Identity, to key: GroupKey) -> Bool { true }

    package func set(_ limits: SyncLimits) {
        configured = limits
        self.limits = limits
        if let owner = ownerLimits {
            self.limits.window = max(1, min(limits.window, Int(clamping: owner.window)))
            self.limits.subscriptions = min(limits.subscriptions, Int(owner.subscriptions))
            self.limits.messageBytes = min(limits.messageBytes, Int(owner.message))
            self.limits.depth = min(limits.depth, Int(owner.depth))
        }
        sessionLimits = SessionLimits(self.limits)
    }

    package var hasFailed: Bool {
        if case .failed = phase { true } else { false }
    }

    package var isUntouched: Bool { hasFailed || guests.isEmpty && groups.isEmpty }
    package var isIdle: Bool { guests.isEmpty }
    package func prepareToUnload(_ completion: @escaping () -> Void) { completion() }
    package func prepareToEnd(_ completion: @escaping () -> Void) { completion() }
    package func endTurn() {}
    package func catchUp() {}
    package func abandon() {
        uplink?.stop()
        disconnected()
    }

    package var gauges: RoomGauges {
        RoomGauges(
            groups: groups.count, waiting: 0,
            isRefused: hasOneOwner && isStarted && phase == .ready && !isConnected,
            unsavedSince: nil,
            upstream: isStarted
                ? RoomGauges.Upstream(isLive: isConnected, silentSince: silentSince) : nil)
    }
}

extension MirroredRoom: InspectableRoom {
    package var inspection: RoomInspection {
        var subscriptions: [ExactString: Int] = [:]
        for group in groups.values {
            subscriptions[ExactString(group.selection), default: 0] +=
                group.group?.subscriptions.count ?? 0
        }
        return RoomInspection(
            position: position, phase: hasFailed ? "failed" : isConnected ? "mirrored" : "away",
            subscriptions: subscriptions, lag: sessionsInOrder.map(\.lag).max() ?? 0, waiting: 0,
            waitingBytes: 0, actions: [])
    }

    package var selectionCosts: [SelectionCost] { [] }

    package var sessionsInOrder: [ServerSession] {
        guests.values.map(\.session).sorted { $0.number < $1.number }
    }

    package func tree() throws -> JSON { .null }

    package func dispatch(
        _ type: String, _ payload: JSON, as sender: Identity, _ outcome: DispatchOutcome
    ) {
        outcome.settle(.failure(Rejection(.unavailable, "Another server has the room.")))
    }
}
