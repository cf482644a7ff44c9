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
    @exclusivity(unchecked) package private(set) var phase = Phase.awaitingHello
    /// Whose it is: nobody's before hello, of an unknown identity before welcome.
    @exclusivity(unchecked) private(set) var origin = DispatchOrigin.unknown
    /// Up to which version the room had forgotten what clients did when this one joined.
    var horizon: UInt64 = 0
    /// The connection's number among those of its client, if the client says it.
    private(set) var connection: UInt64?
    /// The owner's handle; nil once the session has ended.
    @exclusivity(unchecked) package private(set) var link: (any ServerLink)?

    /// Whether an edge speaks for its client.
    let isPassedOn: Bool
    private unowned let loop: any SessionLoop
    let flushes: FlushQueue
    @exclusivity(unchecked) private(set) var limits: SessionLimits
    var subscriptions: [UInt64: ServerSubscription] = [:]
    /// What the client has asked for by its refs, and the room hasn't found yet, with the size of the
    /// parameters.
    var asked: [UInt64: (frame: ClientFrame.Subscribe, size: Int)] = [:]
    /// Those that the peer speaks for; nil if it isn't an edge.
    @exclusivity(unchecked) private(set) var clients: EdgeClients?
    /// What their parameters take, in bytes of JSON text.
    var parameterBytes = 0
    @exclusivity(unchecked) var dispatches = DispatchWindow()
    /// How many of the client's actions have had their final outcome on this connection.
    @exclusivity(unchecked) package internal(set) var outcomes = (taken: 0, rejected: 0)

    /// Its own account, and those that it shares with others.
    @exclusivity(unchecked) private(set) var accounts: [SenderAccount]
    private var senders: [SenderAccounts.Sender] = []
    /// Whether nothing is read for a while, as more came than may.
    @exclusivity(unchecked) private var isThrottled = false
    /// How often in a row more was dispatched than may be.
    @exclusivity(unchecked) private var overruns = 0
    private var hello: ClientFrame.Hello?
    /// What its client knows the room's history as.
    package var epoch = ""
    /// Whose it is, and until when, while the room lets the client in.
    private var coming: Identity?
    private(set) var held: [ClientFrame] = []
    /// The bytes of all messages that came before welcome.
    private var heldBytes = 0
    /// Tokens of `authenticate`; only the newest counts.
    private var renewal = TokenRenewal()
    /// Until when the client's identity holds; nil for ever.
    private var term: IdentityTerm?
    /// Whose identity was revoked while a token was being checked, as that may have begun before.
    private var revocations: [@Sendable (Identity) -> Bool] = []
    @exclusivity(unchecked) private var inbox = FrameInbox()
    /// How many bytes of its messages wait, as the loop knows it.
    @exclusivity(unchecked) private(set) var backlog = 0
    @exclusivity(unchecked) private var isTaking = false
    @exclusivity(unchecked) private var replies: [ServerMessage] = []
    @exclusivity(unchecked) private(set) var replyBytes = 0
    @exclusivity(unchecked) private var isReading = true
    /// Whether it waits for its turn to take more of its messages.
    @exclusivity(unchecked) private var isWaiting = false
    /// How much work its messages have made in the loop's turn `workTurn`.
    @exclusivity(unchecked) private var work = 0
    @exclusivity(unchecked) private var workTurn: UInt64 = 0
    /// What it has made before, less what is forgiven with time, as of `workSeconds`. A new one has
    /// to show first that it makes little.
    @exclusivity(unchecked) private var debt: Double
    @exclusivity(unchecked) private var workSeconds: Double
    @exclusivity(unchecked) private var queued: [ServerSubscription] = []
    /// Whether the client takes values in parts.
    private var takesParts = false
    /// Those whose value is sent in parts, one after the other.
    @exclusivity(unchecked) private var inParts: [ServerSubscription] = []
    /// How many bytes of first values were sent in the loop's turn `firstTurn`.
    @exclusivity(unchecked) private var firstBytes = 0
    @exclusivity(unchecked) private var firstTurn: UInt64 = 0
    /// The last version for which some value skipped others, in which it may have been another.
    @exclusivity(unchecked) private var skippedTo: UInt64 = 0
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
        guard let connection, let older = other.connection, connection != older
        else { return number > other.number }
        return connection > older
    }

    // MARK: From the connection

    /// Takes one message.
    package func receive(_ message: UnsafeRawBufferPointer) {
        guard phase != .closed else { return }
        if let clients, let first = message.first, (0x30...0x39).contains(first) {
            // What it makes its client makes, whose session notes it: the others aren't to wait for it.
            if !clients.receive(message) { violate("No client of the edge can have this number.") }
            return
        }
        if phase != .live { heldBytes += message.count }
        pay(for: message.count)
        let cost = message.count + (isPassedOn ? Self.waitingCost : 0)
        if isTaking || isWaiting || mustWait(with: message.count) {
            inbox.append(ClientFrames(unread: Array(message)), bytes: cost)
        } else {
            inbox.append(read(message), bytes: cost)
        }
        takeFrames()
    }

    private func noteBacklog() {
        let (old, new) = (backlog, max(inbox.bytes, heldBytes))
        guard old != new else { return }
        backlog = new
        flushes.noteBacklog(of: self, from: old, to: new)
    }

    private func read(_ message: UnsafeRawBufferPointer) -> ClientFrames {
        spend(message.count)
        return ClientFrames(reading: message, limits: limits.json)
    }

    /// Takes frames while their answers have room and the turn has time, then stops reading;
    /// ``wrote()`` and ``goOn()`` go on from there.
    private func takeFrames() {
        guard !isTaking, !isWaiting else { return noteBacklog() }
        isTaking = true
        while mayTake, !inbox.isEmpty {
            if mustWait {
                isWaiting = true
                flushes.wait(self)
                break
            }
            guard let frame = inbox.next(reading: { $0.withUnsafeBytes(read) }) else { break }
            spend(Self.frameWork)
            switch frame {
            case .success(let frame): take(frame)
            case .failure(let error) where phase == .awaitingHello:
                violate("The first frame must be a readable hello. \(error.detail ?? error.title)")
            case .failure(let error): reply(.error(error))
            }
        }
        isTaking = false
        noteBacklog()
        if isLight { flushes.noteLight() }
        let reads = mayTake && !isWaiting && !isThrottled
        guard reads != isReading, phase != .closed else { return }
        isReading = reads
        link?.setReading(reads)
    }

    /// Takes note of frames that are no messages; each counts as one.
    package func receive(oddments count: Int) {
        guard phase != .closed else { return }
        pay(for: 0, messages: count)
        takeFrames()
    }

    /// Notes messages that came; reads nothing more for as long as they are more than may come.
    private func pay(for size: Int, messages: Int = 1) {
        let now = loop.seconds
        var (wait, limit) = (0.0, "")
        for account in accounts {
            let own = account.note(messages: messages, of: size, at: now)
            if own > wait { (wait, limit) = (own, account.name) }
        }
        guard wait > 0, !isThrottled else { return }
        isThrottled = true
        flushes.counts.reached(limit)
        loop.schedule(after: .seconds(wait)) { [weak self] in
            self?.isThrottled = false
            self?.takeFrames()
        }
    }

    /// For how many seconds a dispatch has to wait; 0, and it counts, if it may come.
    func waitForAction() -> Double {
        let now = loop.seconds
        var (wait, limit) = (0.0, "")
        for index in accounts.indices {
            let own = accounts[index].waitForAction(at: now)
            if own > wait { (wait, limit) = (own, accounts[index].name) }
        }
        guard wait == 0 else {
            flushes.counts.reached(limit)
            overruns += 1
            return wait
        }
        overruns = 0
        for index in accounts.indices { accounts[index].takeAction(at: now) }
        return 0
    }

    /// Whether it doesn't wait as it was asked to.
    var isOverrunning: Bool { overruns > room.limits.overruns }

    /// Counts it among the connections of a sender; false if that has as many as it may.
    func enter(_ sender: SenderAccounts.Sender) -> Bool {
        guard let account = loop.senders.enter(sender, at: loop.seconds) else { return false }
        accounts.append(account)
        senders.append(sender)
        return true
    }

    /// What a message that waits takes beyond its bytes, which counts where any number of them may:
    /// from a client that comes through an edge, whose connection others use too, reading goes on.
    private static let waitingCost = 128
    /// What a frame costs beyond its bytes and those of the value that it asks for.
    private static let frameWork = 256
    /// What an action costs beyond that, until it is acknowledged; as many microseconds as other
    /// work of this size takes.
    private static let actionWork = 2048
    /// What it costs to find out who it is and to take it in, until it has left.
    private static let helloWork = 16 << 10
    /// What it costs to begin to watch something that nobody watches.
    static let groupWork = 8 << 10

    /// Notes that a message made so much work, in bytes that were read, compared or written.
    func spend(_ amount: Int) {
        if workTurn != flushes.turn { beginWork() }
        work += amount
        flushes.spend(amount)
    }

    /// In a quarter of a second as much is forgiven as it may make in a turn.
    private func beginWork() {
        for account in accounts.dropFirst() { account.note(work: work, at: flushes.seconds) }
        let forgiven = Double(4 * limits.turnWork) * (flushes.seconds - workSeconds)
        debt = max(0, debt + Double(work) - forgiven)
        (work, workTurn, workSeconds) = (0, flushes.turn, flushes.seconds)
    }

    /// Whether it has made little work lately, and its identity and address no more than theirs: then
    /// it doesn't wait for those that have made much.
    var isLight: Bool { isLight(with: 0) }

    private func isLight(with size: Int) -> Bool {
        load + Double(size) <= Double(limits.turnWork / 4)
            && accounts.dropFirst().allSatisfy { $0.isLight(at: flushes.seconds) }
    }

    /// How much work it has made lately, and will by what waits to be read.
    var load: Double {
        if workTurn != flushes.turn { beginWork() }
        return debt + Double(work + inbox.unreadBytes)
    }

    private var mustWait: Bool { mustWait(with: 0) }

    /// - Parameter size: the bytes of a message that is to be read.
    private func mustWait(with size: Int) -> Bool {
        if flushes.holdsHeavy, !isLight(with: size) { return true }
        if work >= limits.turnWork, workTurn == flushes.turn, flushes.isContended { return true }
        return !mayWork || isHeldUp
    }

    /// Whether its room has much to do before it, which it wouldn't wait for if it had made less.
    var isHeldUp: Bool { room.isCongested && !isLight }

    /// Whether something may be made for it in this turn.
    private var mayWork: Bool {
        if flushes.holdsHeavy, !isLight { return false }
        return hasWorkLeft
    }

    private var hasWorkLeft: Bool {
        flushes.workLeft > 0 || flushes.spareWork > 0 && isLight
    }

    /// Whether a first value may be made: a small one goes with the answers that wait for it.
    private func mayWrite(firstOf group: SelectionGroup) -> Bool {
        group.isLarge ? mayWork : hasWorkLeft
    }

    /// It is its turn again.
    func goOn() {
        isWaiting = false
        takeFrames()
    }

    /// How many bytes the server holds for the connection, about.
    package var cost: Int {
        backlog + replyBytes + parameterBytes + (link?.heldBytes ?? 0)
    }

    private var mayTake: Bool {
        switch phase {
        case .closed: false
        case .authenticating:
            held.count < limits.subscriptions && heldBytes <= limits.controlBytes
        case .awaitingHello, .live: replyBytes <= limits.controlBytes
        }
    }

    /// The connection is gone.
    package func disconnected() {
        guard phase != .closed else { return }
        end()
    }

    private func take(_ frame: ClientFrame) {
        // What comes most; the pair below is made for every frame.
        if phase == .live, case .dispatch(let dispatch) = frame {
            guard clients == nil else { return violate("An edge has nothing to dispatch.") }
            spend(Self.actionWork)
            return receive(dispatch)
        }
        switch (phase, frame) {
        case (.closed, _): break
        case (.awaitingHello, .hello(let hello)): begin(hello)
        case (.awaitingHello, _): violate("The first frame must be hello.")
        case (_, .hello): violate("hello may be said once.")
        case (.authenticating, .dispatch): violate("dispatch may not come before welcome.")
        case (.authenticating, _): held.append(frame)
        case (.live, .dispatch): break
        case (.live, .subscribe) where clients != nil: violate("An edge has its clients subscribe.")
        case (.live, .mirror(let mirror)) where clients != nil: self.mirror(mirror)
        case (.live, .vouch(let identity)) where isPassedOn:
            renew(Identity(vouched: identity))
        case (.live, .mirror(let mirror)):
            reply(.error(ClientFrame.unknown("mirror", ref: mirror.ref)))
        case (.live, .vouch): reply(.error(ClientFrame.unknown("vouch")))
        case (.live, .subscribe(let subscribe)): self.subscribe(subscribe)
        case (.live, .unsubscribe(let ref)): unsubscribe(ref)
        case (.live, .authenticate(let token)):
            guard !isTooLong(token) else { return }
            if let token = renewal.begin(token) { loop.authenticate(self, token: token) }
        case (.live, .ping): reply(.pong(version: room.position.version))
        }
    }

    // MARK: Hello and identity

    private func begin(_ hello: ClientFrame.Hello) {
        guard hello.proto == UInt64(ProtocolVersion.number) else {
            return close(
                .unsupportedVersion, "This server speaks version \(ProtocolVersion.number).")
        }
        guard !isTooLong(hello.token) else { return }
        spend(Self.helloWork)
        var hello = hello
        // None of ours is so long; an edge would keep it.
        if let seen = hello.seen, seen.epoch.utf8.count > 128 { hello.seen = nil }
        if let term = hello.term, term.utf8.count > 64 { hello.term = "" }
        self.hello = hello
        origin = DispatchOrigin(client: hello.client, sender: .anonymous)
        connection = hello.connection
        takesParts = (hello.parts ?? 0) >= SnapshotPart.form
        phase = .authenticating
        if isPassedOn {
            guard let identity = hello.identity else {
                return violate("An edge says whose hello it is.")
            }
            return authenticated(loop.admitted(Identity(vouched: identity)))
        }
        if hello.edge != nil {
            guard hello.edge == EdgeClients.form else {
                return close(
                    .unsupportedVersion, "This server knows edges of form \(EdgeClients.form).")
            }
            guard loop.admitsEdge(hello.token, to: room.name) else {
                return close(.unauthenticated, "No edge with this key is let in.")
            }
            return authenticated(.success(.server))
        }
        loop.authenticate(self, token: hello.token)
    }

    /// The answer to the token of `hello` or `authenticate`.
    package func authenticated(_ result: Result<Identity, Rejection>) {
        switch (phase, result) {
        case (.awaitingHello, _), (.closed, _): break
        case (.live, .failure(let rejection)) where rejection.retryable:
            // What it had before still holds, until it expires.
            revocations = []
            checkNext()
        case (_, .failure(let rejection)) where rejection.retryable:
            let after = (rejection.retryAfter ?? .zero) / .seconds(1)
            close(.busy, rejection.description, after: after, jitter: 5)
        case (_, .failure(let rejection)):
            close(
                rejection.code == .forbidden ? .forbidden : .unauthenticated,
                rejection.description)
        case (_, .success(let identity)) where isOver(identity):
            close(.unauthenticated, "The token has expired.")
        case (.authenticating, .success(let identity)):
            if room.phase != .loading { return loaded(room.phase, identity) }
            // Only if it has to wait: to count references to an object that was once referred to
            // weakly takes twice as long.
            room.whenLoaded { [weak self] in self?.loaded($0, identity) }
        case (.live, .success(let new)):
            renew(new)
            if phase == .live { checkNext() }
        }
    }

    private func checkNext() {
        if let token = renewal.end() { loop.authenticate(self, token: token) }
    }

    /// Whether the token is longer than any may be; closes the connection then.
    private func isTooLong(_ token: String?) -> Bool {
        guard let token, token.utf8.count > room.limits.tokenBytes else { return false }
        flushes.counts.reached("token-bytes")
        close(.unauthenticated, "A token may have \(room.limits.tokenBytes) bytes.")
        return true
    }

    /// Whether the identity has expired.
    private func isOver(_ identity: Identity) -> Bool {
        guard let end = identity.expires else { return false }
        return !(loop.timeOfDay < end)
    }

    /// Whether the identity was revoked while the token that stands for it was being checked;
    /// closes the connection then.
    private func isRevoked(_ identity: Identity) -> Bool {
        defer { revocations = [] }
        guard revocations.contains(where: { $0(identity) }) else { return false }
        closeRevoked()
        return true
    }

    private func noteExpiry(of identity: Identity) {
        let margin = room.limits.renewalMargin
        let now = loop.timeOfDay
        term = IdentityTerm(of: identity, at: now, margin: margin, after: term)
        loop.watch(self, at: term?.next)
    }

    /// Asks the client for a newer token, or ends the connection, if it is time for that.
    package func checkExpiry() {
        guard phase == .live, let step = term?.step(at: loop.timeOfDay) else { return }
        switch step {
        case .wait: break
        case .ask(let seconds): reply(.renew(within: seconds))
        case .end: return close(.expired, "The token has expired.", jitter: 1)
        }
        loop.watch(self, at: term?.next)
    }

    /// Ends the connection if its identity is one of those, or turns out to be in a check that is
    /// under way; true if it ended.
    package func revoke(where isRevoked: @escaping @Sendable (Identity) -> Bool) -> Bool {
        // An edge is nobody; its clients are asked about.
        guard clients == nil else { return false }
        switch phase {
        case .awaitingHello, .closed: break
        case .live where isRevoked(identity):
            closeRevoked()
            return true
        case .live where !renewal.isChecking: break
        case .authenticating, .live: revocations.append(isRevoked)
        }
        return false
    }

    private func loaded(_ room: RoomPhase, _ identity: Identity) {
        guard phase == .authenticating else { return }
        guard room == .ready, let hello else { return refuse(self.room.failure) }
        if let standing = self.room.standing(of: hello) { return placed(standing, identity) }
        // Whoever may not come in asks for nothing.
        guard hello.edge != nil || self.room.refusal(ofEntryTo: identity) == nil else {
            return placed(.epoch(self.room.position.epoch), identity)
        }
        self.room.askWhetherAlone { [weak self] isAlone in
            guard let self, phase == .authenticating else { return }
            placed(isAlone == true ? .epoch(self.room.renamedEpoch()) : .ahead, identity)
        }
    }

    private func placed(_ standing: Standing, _ identity: Identity) {
        guard case .epoch(let epoch) = standing else {
            room.doubt()
            return close(.behind, "This server hasn't reached what the client has seen yet.")
        }
        self.epoch = epoch
        if room.isCertain(of: client) { return welcome(identity) }
        room.whenCertain(of: client) { [weak self] in
            if let self, phase == .authenticating { welcome(identity) }
        }
    }

    /// Its client hears of another term from now on.
    func tellTerm() {
        if phase == .live, let term = room.term { reply(.term(term)) }
    }

    private func welcome(_ identity: Identity) {
        guard let hello, !isRevoked(identity) else { return }
        // The room may have taken long to open.
        guard !isOver(identity) else {
            return close(.expired, "The token has expired.", jitter: 1)
        }
        if hello.edge != nil, !isPassedOn { return welcomeEdge() }
        // Also of one that isn't let in: whoever hears of that wants to know who it was.
        origin = DispatchOrigin(client: client, sender: identity)
        guard !identity.id.isSameText(as: Identity.server.id) else {
            return close(.forbidden, "The id '\(identity.id)' is the server's own.")
        }
        coming = identity
        let admission = room.admit(self, hello)
        if case .later = admission { return }
        admitted(admission)
    }

    private func refuse(_ refusal: Admission.Refusal) {
        close(refusal.code, refusal.title, after: refusal.after, jitter: refusal.jitter)
    }

    /// The room lets the client in, or doesn't.
    func admitted(_ admission: Admission) {
        guard phase == .authenticating, let hello, let coming else { return }
        self.coming = nil
        switch admission {
        case .later: self.coming = coming
        case .refused(let refusal): refuse(refusal)
        case .welcome(let lastSeq, let rejected):
            // It may have waited long.
            guard !isRevoked(coming) else { return }
            guard !isOver(coming) else {
                return close(.expired, "The token has expired.", jitter: 1)
            }
            phase = .live
            // The client's last connection doesn't count any more.
            guard
                identity.id.isEmpty || isBoundElsewhere
                    || enter(.identity(ExactString(identity.id)))
            else {
                flushes.counts.reached("connections-per-identity")
                return close(
                    .full, "The identity has as many connections as it may.", after: 10,
                    jitter: 10)
            }
            noteExpiry(of: coming)
            dispatches = DispatchWindow(known: max(lastSeq, hello.settled ?? 0))
            begin(lastSeq, rejected)
        }
    }

    /// An edge is let in, whose clients are to come.
    private func welcomeEdge() {
        phase = .live
        takesParts = false
        for sender in senders { loop.senders.leave(sender, at: loop.seconds) }
        senders = []
        accounts = [SenderAccounts.unbounded()]
        clients = EdgeClients(of: self, on: loop)
        begin(0, [])
    }

    private func begin(_ lastSeq: UInt64, _ rejected: [ServerFrame.Reject]) {
        reply(
            .welcome(
                ServerFrame.Welcome(
                    position: Position(epoch: epoch, version: room.position.version),
                    term: room.term, lastSeq: lastSeq, rejected: rejected,
                    heartbeat: UInt64(room.limits.heartbeat), limits: room.limits.frame,
                    server: Software.nameAndVersion,
                    // An edge tells its clients itself.
                    identity: isBoundElsewhere ? nil : identity.vouched,
                    parts: takesParts ? SnapshotPart.form : nil)))
        self.hello = nil
        link?.note(.entered)
        inbox.putBack(held, bytes: heldBytes)
        (held, heldBytes) = ([], 0)
        takeFrames()
    }

    private func renew(_ new: Identity) {
        guard !isRevoked(new) else { return }
        guard new.id.isSameText(as: identity.id) else {
            return violate("The token is another identity's.")
        }
        if let refusal = room.refusal(ofEntryTo: new) {
            return close(.forbidden, refusal.description)
        }
        noteExpiry(of: new)
        let isSame = new == identity
        if !isSame {
            origin = DispatchOrigin(client: client, sender: new)
            room.renewed(self)
        }
        askRulesOfSubscriptions(viewerChanged: !isSame)
    }

    /// Ends what its rules don't allow any more: the connection, or single subscriptions. For rules
    /// that have changed.
    package func askRulesAgain() {
        guard phase == .live, clients == nil else { return }
        if let refusal = room.refusal(ofEntryTo: identity) {
            return close(.forbidden, refusal.description)
        }
        askRulesOfSubscriptions(viewerChanged: false)
    }

    private func askRulesOfSubscriptions(viewerChanged: Bool) {
        for subscription in subscriptions.values.sorted(by: { $0.group.sub < $1.group.sub })
        where !subscription.isDropped {
            let key = subscription.group.key
            if viewerChanged && key.viewer != nil {
                lapse(subscription, "renewed")
            } else if !room.admits(identity, to: key) {
                lapse(subscription, Rejection.Code.forbidden.description)
            }
        }
    }

    // MARK: To the connection

    // These are inlined: each is asked of each connection in each turn that sends it something.

    /// Whether one of its selections isn't at the room's version yet; it is sent nothing then.
    @inline(__always) var isBehind: Bool {
        room.isBehind && !isPassedOn && subscriptions.values.contains { $0.group.isBehind }
    }

    package func caughtUp() { flushes.add(self) }

    package func skipped(to version: UInt64) { skippedTo = version }

    /// Whether what it has to send is to be encoded first, and large.
    var needsEncoding: Bool {
        queued.contains { $0.isLive && $0.group.needsEncoding(from: $0.position) }
    }

    /// Whether there is an answer to what its client sent.
    @inline(__always) var hasAnswers: Bool {
        !replies.isEmpty || dispatches.hasAcknowledgement || clients?.hasMessages == true
    }

    /// Whether there is something to pull.
    @inline(__always) package var hasMessages: Bool {
        guard phase != .closed else { return false }
        return hasAnswers || !queued.isEmpty
    }

    /// Appends what the connection should be sent now, replies first, then all that brings its
    /// selections to the room's version, as one transaction.
    ///
    /// First values are left for later turns when they are many bytes, or the turn has made much
    /// work already.
    package func pull(into messages: inout [ServerMessage]) {
        guard phase != .closed else { return }
        // Those to an edge's clients: behind the values that they may be about, and taking effect
        // with them.
        let following = clients?.takeMessages()
        defer { if let following { messages += following } }
        if !replies.isEmpty {
            messages += replies
            replies.clear()
            replyBytes = 0
        }
        var start = messages.count
        var hasGap = false
        var unwritable: [(ServerSubscription, any Error)] = []
        var later: [ServerSubscription] = []
        var surplus: [ServerSubscription] = []
        var wholeBytes = 0
        if firstTurn != flushes.turn { (firstBytes, firstTurn) = (0, flushes.turn) }
        for index in queued.indices {
            let subscription = queued[index]
            let isFirst = !subscription.isLive
            if isFirst, firstBytes >= limits.writeBytes || !mayWrite(firstOf: subscription.group) {
                later.append(subscription)
                continue
            }
            subscription.isQueued = false
            if !isFirst, subscription.group.isLarge, subscription.needsSnapshot {
                let size = subscription.group.size
                // An edge would ask for it anew for each of its clients.
                if clients == nil, wholeBytes > 0, wholeBytes + size > limits.transactionBytes {
                    surplus.append(subscription)
                    continue
                }
                wholeBytes += size
                flushes.spend(size)
            }
            do {
                if isFirst, takesParts, try subscription.beginParts(above: limits.partBytes) {
                    inParts.append(subscription)
                    continue
                }
                let beginsWithGap = isFirst && subscription.beginsWithGap
                if !isFirst, subscription.isConflated { flushes.counts.conflations += 1 }
                guard let message = try subscription.nextMessage() else { continue }
                messages.append(message)
                hasGap = hasGap || beginsWithGap || subscription.group.version < skippedTo
                if isFirst {
                    firstBytes += message.frameSize
                    flushes.spend(message.frameSize)
                }
            } catch {
                unwritable.append((subscription, error))
            }
        }
        queued.clear()
        if !later.isEmpty { queued = later }
        let count = messages.count - start
        // They aren't live any more at the version of the transaction.
        for (subscription, error) in unwritable { lapse(subscription, error) }
        for subscription in surplus { lapse(subscription, "renewed") }
        if !replies.isEmpty {
            messages.insert(contentsOf: replies, at: start)
            start += replies.count
            replies.clear()
            replyBytes = 0
        }
        let acked = dispatches.takeAcknowledgement()
        let isFollowed = count > 0 && following?.isEmpty == false
        guard acked != nil || count > 1 || hasGap || isFollowed else { return }
        messages.insert(
            .transaction(
                version: room.position.version, count: count, acked: acked,
                following: isFollowed ? following?.count : nil), at: start)
    }

    /// Whether something is to be sent in later turns: in parts, behind all messages that there
    /// are, or first values that the last pull left.
    package var hasParts: Bool { !inParts.isEmpty || !queued.isEmpty }

    /// The next part of what is sent in parts; nil if messages come first, or nothing is.
    ///
    /// The subscription's first message follows the last part, before those of another value.
    package func nextPart() -> ServerMessage? {
        guard !hasMessages, let subscription = inParts.first,
            let part = subscription.nextPart(limits.partBytes)
        else { return nil }
        if subscription.parts == nil {
            inParts.removeFirst()
            queue(subscription)
        }
        return part
    }

    /// Nothing of the subscription's value is sent in parts any more.
    func endParts(of subscription: ServerSubscription) {
        guard subscription.parts != nil else { return }
        subscription.endParts()
        inParts.removeAll { $0 === subscription }
    }

    /// What was pulled is written: takes what had to wait for that.
    ///
    /// Not as a part of ``pull(into:)``: what comes next may be the end, which goes behind.
    package func wrote() {
        if !isReading { takeFrames() }
    }

    package func queue(_ subscription: ServerSubscription) {
        if queued.isEmpty { flushes.add(self) }
        guard !subscription.isQueued else { return }
        subscription.isQueued = true
        queued.append(subscription)
    }

    func unqueue(_ subscription: ServerSubscription) {
        guard subscription.isQueued else { return }
        queued.removeAll { $0 === subscription }
    }

    func reply(_ message: ServerMessage) {
        guard phase != .closed else { return }
        if replies.isEmpty { flushes.add(self) }
        replies.append(message)
        replyBytes += message.frameSize
    }

    // MARK: The end

    func violate(_ title: String) {
        close(.protocolViolation, title)
    }

    private func closeRevoked() {
        close(.revoked, "The server has revoked this identity.", after: 1, jitter: 2)
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
