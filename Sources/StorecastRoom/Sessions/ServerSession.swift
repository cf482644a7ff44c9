package import StorecastSync
package import StorecastWire

/// The server's half of one connection, without I/O: it is fed messages and pulled for messages.
///
/// Nothing is queued for a connection but short replies; what its selections have become is
/// worked out when the connection can take it. Belongs to its room's loop.
package final class ServerSession: SelectionSubscriber {
    package enum Phase { case awaitingHello, authenticating, live, closed }

    package let room: any SessionRoom
    /// Rises from each connection of the room to the next.
    let number: UInt64
    // Unchecked, as some below: what each message reads and writes. No access calls other code.
    @exclusivity(unchecked) package internal(set) var phase = Phase.awaitingHello
    /// Whose it is: nobody's before hello, of an unknown identity before welcome.
    @exclusivity(unchecked) var origin = DispatchOrigin.unknown
    /// Up to which version the room had forgotten what clients did when this one joined.
    var horizon: UInt64 = 0
    /// The connection's number among those of its client, if the client says it.
    var connection: UInt64?
    /// The owner's handle; nil once the session has ended.
    @exclusivity(unchecked) package private(set) var link: (any ServerLink)?

    /// Whether an edge speaks for its client.
    let isPassedOn: Bool
    unowned let loop: any SessionLoop
    let flushes: FlushQueue
    @exclusivity(unchecked) private(set) var limits: SessionLimits
    var subscriptions: [UInt64: ServerSubscription] = [:]
    /// What the client has asked for by its refs, and the room hasn't found yet, with the size of the
    /// parameters.
    var asked: [UInt64: (frame: ClientFrame.Subscribe, size: Int)] = [:]
    /// Those that the peer speaks for; nil if it isn't an edge.
    @exclusivity(unchecked) var clients: EdgeClients?
    /// What their parameters take, in bytes of JSON text.
    var parameterBytes = 0
    @exclusivity(unchecked) var dispatches = DispatchWindow()
    /// How many of the client's actions have had their final outcome on this connection.
    @exclusivity(unchecked) package internal(set) var outcomes = (taken: 0, rejected: 0)

    /// Its own account, and those that it shares with others.
    @exclusivity(unchecked) var accounts: [SenderAccount]
    var senders: [SenderAccounts.Sender] = []
    /// Whether nothing is read for a while, as more came than may.
    @exclusivity(unchecked) var isThrottled = false
    /// How often in a row more was dispatched than may be.
    @exclusivity(unchecked) var overruns = 0
    var hello: ClientFrame.Hello?
    /// What its client knows the room's history as.
    package var epoch = ""
    /// Whose it is, and until when, while the room lets the client in.
    var coming: Identity?
    var held: [ClientFrame] = []
    /// The bytes of all messages that came before welcome.
    var heldBytes = 0
    /// Tokens of `authenticate`; only the newest counts.
    var renewal = TokenRenewal()
    /// Until when the client's identity holds; nil for ever.
    var term: IdentityTerm?
    /// Whose identity was revoked while a token was being checked, as that may have begun before.
    var revocations: [@Sendable (Identity) -> Bool] = []
    @exclusivity(unchecked) var inbox = FrameInbox()
    /// How many bytes of its messages wait, as the loop knows it.
    @exclusivity(unchecked) var backlog = 0
    @exclusivity(unchecked) var isTaking = false
    @exclusivity(unchecked) var replies: [ServerMessage] = []
    @exclusivity(unchecked) var replyBytes = 0
    @exclusivity(unchecked) var isReading = true
    /// Whether it waits for its turn to take more of its messages.
    @exclusivity(unchecked) var isWaiting = false
    /// How much work its messages have made in the loop's turn `workTurn`.
    @exclusivity(unchecked) var work = 0
    @exclusivity(unchecked) var workTurn: UInt64 = 0
    /// What it has made before, less what is forgiven with time, as of `workSeconds`. A new one has
    /// to show first that it makes little.
    @exclusivity(unchecked) var debt: Double
    @exclusivity(unchecked) var workSeconds: Double
    @exclusivity(unchecked) var queued: [ServerSubscription] = []
    /// Whether the client takes values in parts.
    var takesParts = false
    /// Those whose value is sent in parts, one after the other.
    @exclusivity(unchecked) var inParts: [ServerSubscription] = []
    /// How many bytes of first values were sent in the loop's turn `firstTurn`.
    @exclusivity(unchecked) var firstBytes = 0
    @exclusivity(unchecked) var firstTurn: UInt64 = 0
    /// The last version for which some value skipped others, in which it may have been another.
    @exclusivity(unchecked) var skippedTo: UInt64 = 0
    package var trace: (any DispatchTrace)?
    /// Whether its next part waits for its turn in the loop.
    var isPartQueued = false

    /// The room has others.
    func takeLimits() { limits = room.sessionLimits }

    package init(room: any SessionRoom, loop: any SessionLoop, link: any ServerLink) {
        self.room = room
        limits = room.sessionLimits
        number = room.numberVisitor()
        self.loop = loop
        flushes = loop.flushes
        // One that comes through an edge has shown there what it makes.
        debt = link.edge == nil ? Double(limits.turnWork) : 0
        workSeconds = loop.flushes.seconds
        isPassedOn = link.edge != nil
        accounts = [isPassedOn ? SenderAccounts.unbounded() : loop.senders.own()]
        self.link = link
    }

    /// Whether an edge keeps its bounds, or it is one.
    var isBoundElsewhere: Bool { isPassedOn || clients != nil }

    package var identity: Identity { origin.sender }
    /// The client's id; empty before hello.
    package var client: String { origin.client }

    /// Whether its client made the connection after that of the `other` session.
    ///
    /// Which came first here says it only where the client doesn't: a connection may be held up on
    /// its way, and accepted long after the next one.
    func isNewer(than other: ServerSession) -> Bool {
        if let connection, let older = other.connection, connection != older {
            return connection > older
        }
        // Its edge says who it is again, whenever it has made another connection of its own.
        if let trunk = link?.edge?.trunk, let former = other.link?.edge?.trunk, trunk !== former,
            trunk.client.isSameText(as: former.client)
        {
            return trunk.isNewer(than: former)
        }
        return number > other.number
    }

    /// How many bytes the server holds for the connection, about.
    package var cost: Int {
        backlog + replyBytes + parameterBytes + (link?.heldBytes ?? 0)
    }

    // MARK: The end

    func violate(_ title: String) {
        close(.protocolViolation, title)
    }

    /// Says bye and closes.
    package func close(_ code: CloseCode, _ title: String, after: Double = 0, jitter: Double = 0) {
        guard phase != .closed else { return }
        link?.note(.ending(code, title))
        reply(
            .bye(
                ServerFrame.Bye(
                    code: code.word, title: title, reconnect: code.allowsReconnect, after: after,
                    jitter: jitter)))
        // Nothing comes behind bye; the next welcome says what was settled.
        let (last, link) = (replies, link)
        end()
        link?.close(code, reason: code.word, behind: last)
    }

    /// The connection is gone.
    package func disconnected() {
        guard phase != .closed else { return }
        end()
    }

    private func end() {
        let (wasLive, wasAsked) = (phase == .live, phase == .authenticating)
        phase = .closed
        for sender in senders { loop.senders.leave(sender, at: loop.seconds) }
        senders = []
        asked = [:]
        queued = []
        for ref in subscriptions.keys.sorted() { subscriptions[ref].map(drop) }
        subscriptions = [:]
        clients?.end()
        clients = nil
        replies = []
        replyBytes = 0
        (held, heldBytes) = ([], 0)
        inbox.removeAll()
        noteBacklog()
        link = nil
        trace?.closed()
        trace = nil
        if wasLive || wasAsked { room.leave(self) }
    }
}
