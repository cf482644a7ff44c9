package import StorecastSync
package import StorecastWire

/// An edge's connection to the server that owns a room, which is made again whenever it ends.
package protocol EdgeUplink: AnyObject {
    /// Sends a message; false if there is no connection, or it takes no more.
    func send(_ message: [UInt8]) -> Bool
    /// Ends the connection, and makes another: not before the owner has asked for that.
    func restart(after bye: ServerFrame.Bye?)
    /// Ends it for good.
    func close()
}

/// A room that another server owns, at an edge: it has the values that its clients have selected, once
/// for all of them, and says to the owner what they say. Without I/O. Belongs to one loop.
///
/// Toward clients it is a room like any other. Toward the owner it is one connection, on which each
/// client has a session of its own there (``EdgeClients``): the owner lets clients in, asks the rules,
/// reduces what they dispatch and knows what became of it. Values come once for each group; what
/// is said to a client comes behind the values that it may be about, so that nobody is told of an
/// action before its effects, or of a position that this server hasn't reached.
///
/// While the owner is away clients stay: they keep what they see, and what they dispatch may come
/// again, when the owner has said what it knows of.
package final class MirroredRoom: AnyRoom {
    /// What this server says to the owner of who it is.
    package struct Credentials: Sendable {
        /// The key that the owner knows edges by.
        package var key: String
        /// An id as clients have; another for each room and process.
        package var client: String

        package init(key: String, client: String) {
            self.key = key
            self.client = client
        }
    }

    /// A client, and what the owner knows of it.
    private final class Guest {
        let session: ServerSession
        let hello: ClientFrame.Hello
        /// What it has asked for, by numbers that are used once: a ref of a client may be used again
        /// before the owner has answered.
        var wishes: [UInt64: Wish] = [:]
        /// The numbers of its wishes, by its refs.
        var numbers: [UInt64: UInt64] = [:]
        var lastWish: UInt64 = 0
        /// Whether it was ever let in.
        var isKnown = false
        /// Whether the owner has been told of it on this connection.
        var isIntroduced = false
        /// Whether the owner has let it in on this connection.
        var isLive = false
        /// Up to where the owner had settled its dispatches when it let it in.
        var settled: UInt64 = 0

        init(_ session: ServerSession, _ hello: ClientFrame.Hello) {
            self.session = session
            self.hello = hello
        }
    }

    /// What a client wants to have.
    private struct Wish {
        let ref: UInt64
        let frame: ClientFrame.Subscribe
        /// Nil until the owner has said that the client may have it.
        var group: MirroredGroup?
    }

    /// Changes that take effect together.
    private struct Transaction {
        let version: UInt64
        var left: UInt64
        var parts: [(frame: ServerFrame, history: JSONView?)] = []
    }

    /// The owner is there again, and its values haven't all come: nothing takes effect until they have,
    /// and then everything does at once, as in a transaction.
    private struct Resumption {
        enum Held {
            case own(ServerFrame, history: JSONView?)
            case guest(ServerFrame, UInt64)
        }

        /// The version that it had when it let this server in.
        let version: UInt64
        /// The groups whose first message hasn't come.
        var awaited: Set<UInt64>
        var held: [Held] = []
    }

    package let name: String
    package private(set) var limits: SyncLimits
    package private(set) var sessionLimits: SessionLimits
    package private(set) var phase = RoomPhase.loading
    package private(set) var position = Position(epoch: "", version: 0)
    package var observer: (any RoomObserver)?
    package private(set) var failure = Admission.Refusal(
        .internalError, "The server can't open the room.", after: 5, jitter: 5)

    private unowned let loop: RoomLoop
    private let credentials: Credentials
    /// Set before anything comes.
    package var uplink: (any EdgeUplink)?
    /// Whether the owner has let this server in on the connection that there is.
    package private(set) var isConnected = false
    /// What the owner takes of a client: more isn't taken here either.
    private var ownerLimits: ServerFrame.Limits?
    private var visitors: UInt64 = 0
    private var guests: [UInt64: Guest] = [:]
    private var groups: [UInt64: MirroredGroup] = [:]
    private var owned: [UInt64: MirroredGroup] = [:]
    private var lastSub: UInt64 = 0
    private let recent = RecentSnapshots(limit: 4 << 20)
    private var idle: [MirroredGroup] = []
    private var isWatchingIdle = false
    private var transaction: Transaction?
    private var resumption: Resumption?
    private var waiting: [(RoomPhase) -> Void] = []

    /// - Parameter uplink: makes the connection, which is to be opened at once.
    package init(
        _ name: String, limits: SyncLimits, loop: RoomLoop, _ credentials: Credentials
    ) {
        self.name = name
        self.limits = limits
        sessionLimits = SessionLimits(limits)
        self.loop = loop
        self.credentials = credentials
    }

    deinit { uplink?.close() }

    // MARK: The connection to the owner

    /// There is a connection.
    package func connected() {
        let seen = position.epoch.isEmpty ? nil : position
        send { writer in
            writer.write(
                ClientFrame.Hello(
                    client: credentials.client, seen: seen, token: credentials.key,
                    edge: EdgeClients.form))
        }
    }

    /// It has ended. What clients dispatch from now on may come again.
    package func disconnected() {
        isConnected = false
        transaction = nil
        resumption = nil
        owned = [:]
        for group in groups.values {
            group.isAsked(for: nil)
            if group.group == nil { forget(group) }
        }
        for guest in guests.values {
            guest.isIntroduced = false
            guest.isLive = false
            for (number, wish) in guest.wishes where wish.group?.group == nil {
                guest.wishes[number]?.group = nil
            }
        }
    }

    /// A message of the owner.
    package func receive(_ message: UnsafeRawBufferPointer) {
        do {
            guard let first = message.first, (0x30...0x39).contains(first) else {
                let document = try JSONDocument(scanning: message, limits: Self.incoming)
                return try take(try ServerFrame(reading: document.root), document.root)
            }
            guard let space = message.firstIndex(of: UInt8(ascii: " ")),
                let number = UInt64(String(decoding: message[..<space], as: UTF8.self))
            else { throw MirroredGroup.Misfit() }
            // It may have gone meanwhile.
            guard let guest = guests[number] else { return }
            let rest = UnsafeRawBufferPointer(rebasing: message[(space + 1)...])
            try take(try ServerFrame(reading: rest, limits: Self.incoming), for: guest)
        } catch {
            misfit(error)
        }
    }

    private func misfit(_ error: any Error) {
        loop.host.report(
            "Room '\(name)': what the upstream sent doesn't fit, and is asked for anew: \(error)")
        restart()
    }

    /// The owner may send values of any size that a connection takes.
    private static var incoming: JSONLimits {
        var limits = JSONLimits()
        limits.bytes = .max
        limits.depth = 512
        return limits
    }

    private func restart(after bye: ServerFrame.Bye? = nil) {
        disconnected()
        uplink?.restart(after: bye)
    }

    private func send(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(reserving: 256)
        write(&writer)
        if uplink?.send(writer.bytes) != true { restart() }
    }

    /// Says something for a client; a number alone if `write` is nil: it has gone.
    @discardableResult
    private func say(for guest: Guest, _ write: ((inout JSONWriter) -> Void)?) -> Bool {
        guard isConnected else { return false }
        var message = Array("\(guest.session.number)".utf8)
        if let write {
            var writer = JSONWriter(reserving: 256)
            write(&writer)
            message.append(UInt8(ascii: " "))
            message += writer.bytes
        }
        return uplink?.send(message) == true
    }

    /// As ``say(for:_:)``, of what the owner has to know: if it can't be said, everything is said
    /// again on another connection.
    private func tell(of guest: Guest, _ write: ((inout JSONWriter) -> Void)?) {
        if isConnected, !say(for: guest, write) { restart() }
    }

    // MARK: From the owner, to this server

    private func take(_ frame: ServerFrame, _ view: JSONView) throws {
        let history = view["history"]
        guard resumption != nil else { return try take(frame, history: history) }
        switch frame {
        case .snapshot(let sub, _, _), .patch(let sub, _, _, _), .current(let sub, _):
            resumption?.held.append(.own(frame, history: history))
            if let group = answered(sub) { hasResumed(group) }
        case .transaction: resumption?.held.append(.own(frame, history: nil))
        default: try take(frame, history: history)
        }
    }

    private func take(_ frame: ServerFrame, history: JSONView?) throws {
        switch frame {
        case .welcome(let welcome): welcomed(welcome)
        case .subscribed(let subscribed): self.subscribed(subscribed)
        case .transaction(let version, let count, _):
            guard transaction == nil else { throw MirroredGroup.Misfit() }
            transaction = Transaction(version: version, left: count)
            try finishTransaction()
        case .snapshot, .patch, .current:
            guard transaction != nil else { return try apply(frame, history) }
            transaction?.parts.append((frame, history))
            transaction?.left -= 1
            try finishTransaction()
        case .lapse(let sub, let code): if let group = owned[sub] { end(group, code) }
        case .error(let error): try failed(error)
        case .bye(let bye): leave(bye)
        case .pong, .reject, .renew: break
        }
    }

    /// What is waited for of a group has come, or won't.
    private func hasResumed(_ group: MirroredGroup) {
        resumption?.awaited.remove(group.sub)
        guard let done = resumption, done.awaited.isEmpty else { return }
        resumption = nil
        do {
            for frame in done.held {
                switch frame {
                case .own(let frame, let history): try take(frame, history: history)
                case .guest(let frame, let number):
                    if let guest = guests[number] { try take(frame, for: guest) }
                }
            }
            reach(done.version)
        } catch {
            misfit(error)
        }
    }

    private func welcomed(_ welcome: ServerFrame.Welcome) {
        isConnected = true
        ownerLimits = welcome.limits
        set(limits)
        if !position.epoch.isEmpty, position.epoch != welcome.position.epoch { beginAnew() }
        position.epoch = welcome.position.epoch
        // Nobody would ask for these anew.
        forgetLingering()
        if groups.isEmpty {
            reach(welcome.position.version)
        } else {
            resumption = Resumption(
                version: welcome.position.version, awaited: Set(groups.keys))
        }
        phase = .ready
        for (_, guest) in guests.sorted(by: { $0.key < $1.key }) { introduce(guest) }
        let waiting = waiting
        self.waiting = []
        for body in waiting { body(phase) }
    }

    /// The owner has another history: clients are to come back, and hear of it with their welcome.
    private func beginAnew() {
        position = Position(epoch: "", version: 0)
        let left = Double(guests.count) / 1000
        for (_, guest) in guests.sorted(by: { $0.key < $1.key }) where guest.isKnown {
            guest.session.close(
                .goingAway, "The room begins anew.", after: 0, jitter: max(1, left))
        }
        for group in groups.values { forget(group) }
        idle = []
    }

    private func subscribed(_ subscribed: ServerFrame.Subscribed) {
        guard let group = groups[subscribed.ref] else { return }
        if !group.answered(subscribed.tag) { end(group, "renewed") }
    }

    private func finishTransaction() throws {
        guard let transaction, transaction.left == 0 else { return }
        self.transaction = nil
        for part in transaction.parts { try apply(part.frame, part.history) }
        reach(transaction.version)
    }

    private func answered(_ sub: UInt64) -> MirroredGroup? {
        owned[sub].flatMap { $0.isAnswered ? $0 : nil }
    }

    private func apply(_ frame: ServerFrame, _ history: JSONView?) throws {
        switch frame {
        case .snapshot(let sub, let version, let value):
            // Nobody may want it any more.
            guard let group = answered(sub) else { break }
            if group.group != nil {
                try group.replace(by: value.json, at: version, work: limits.turnWork)
            } else {
                let new = try group.begin(
                    value.json, at: version, history: history, limits, recent)
                reach(version)
                give(new, of: group)
            }
            return reach(version)
        case .patch(let sub, let from, let version, let operations):
            try answered(sub)?.apply(operations, from: from, to: version, known: position.version)
            reach(version)
        case .current(let sub, let version):
            answered(sub)?.confirm(version)
            reach(version)
        default: break
        }
    }

    /// A group has its first value.
    private func give(_ new: SelectionGroup, of group: MirroredGroup) {
        let waiting = group.waiting
        group.waiting = []
        for (number, wish) in waiting {
            guard let guest = guests[number], let ref = guest.wishes[wish]?.ref else { continue }
            guest.session.found(.success(Permitted(byOwner: new)), for: ref)
        }
        if new.subscriptions.isEmpty { rest(group) }
    }

    private func reach(_ version: UInt64) {
        position.version = max(position.version, version)
    }

    private func failed(_ error: FrameError) throws {
        guard let ref = error.ref else { throw error }
        guard let group = groups[ref] else { return }
        end(group, Rejection.Code.internal.description)
    }

    /// Ends what clients have of a group, or wait for.
    private func end(_ group: MirroredGroup, _ code: String) {
        forget(group)
        for subscription in group.group?.subscriptions ?? [] {
            subscription.subscriber.lapse(subscription, code)
        }
        let rejection = Rejection(Rejection.Code(code), "The server ended the subscription.")
        for (number, wish) in group.waiting {
            guard let guest = guests[number], let ref = guest.wishes[wish]?.ref else { continue }
            guest.session.found(.failure(rejection), for: ref)
            released(ref, of: guest.session)
        }
    }

    /// The owner ends the connection.
    private func leave(_ bye: ServerFrame.Bye) {
        guard !bye.reconnect else { return restart(after: bye) }
        let code = CloseCode(word: bye.code) ?? .internalError
        loop.host.report("Room '\(name)': the upstream refuses this edge: \(bye.title)")
        // What it has against this server isn't the clients' fault.
        if code == .noRoom { failure = Admission.Refusal(code, bye.title) }
        disconnected()
        uplink?.close()
        phase = .failed(.unavailable(bye.title))
        for (_, guest) in guests.sorted(by: { $0.key < $1.key }) {
            guest.session.close(
                failure.code, failure.title, after: failure.after, jitter: failure.jitter)
        }
        let waiting = waiting
        self.waiting = []
        for body in waiting { body(phase) }
    }

    // MARK: From the owner, to clients

    private func take(_ frame: ServerFrame, for guest: Guest) throws {
        let session = guest.session
        if resumption != nil {
            switch frame {
            case .welcome, .transaction, .reject:
                return resumption!.held.append(.guest(frame, session.number))
            case .subscribed(let subscribed) where guest.wishes[subscribed.ref]?.group == nil:
                return resumption!.held.append(.guest(frame, session.number))
            default: break
            }
        }
        switch frame {
        case .welcome(let welcome):
            guard welcome.position.epoch == position.epoch else { throw MirroredGroup.Misfit() }
            reach(welcome.position.version)
            guest.isLive = true
            guest.settled = welcome.lastSeq
            guard guest.isKnown else {
                guest.isKnown = true
                return session.admitted(
                    .welcome(lastSeq: welcome.lastSeq, rejected: welcome.rejected))
            }
            session.resume(lastSeq: welcome.lastSeq, rejected: welcome.rejected)
        case .transaction(let version, _, let acked):
            reach(version)
            if let acked { session.settled(through: acked) }
        case .reject(let reject):
            if reject.retryable { return session.refused(reject.seq, Rejection(reject)) }
            session.settled(through: reject.seq - 1)
            session.settled(reject.seq, Rejection(reject))
        case .subscribed(let subscribed): allowed(subscribed, guest)
        case .lapse(let sub, let code): lapsed(sub, code, guest)
        case .error(let error): refused(error, guest)
        case .bye(let bye):
            guests[session.number] = nil
            session.close(
                CloseCode(word: bye.code) ?? .internalError, bye.title, after: bye.after,
                jitter: bye.jitter)
        case .snapshot, .patch, .current: throw MirroredGroup.Misfit()
        case .pong, .renew: break
        }
    }

    /// The owner lets a client have what it asked for.
    private func allowed(_ subscribed: ServerFrame.Subscribed, _ guest: Guest) {
        guard let wish = guest.wishes[subscribed.ref] else { return }
        guard let had = wish.group else {
            let group = owned[subscribed.sub] ?? found(wish.frame, as: subscribed.sub)
            guest.wishes[subscribed.ref]?.group = group
            guard let ready = group.group else {
                return group.waiting.append((guest.session.number, subscribed.ref))
            }
            return guest.session.found(.success(Permitted(byOwner: ready)), for: wish.ref)
        }
        // It was asked anew, on another connection.
        if had.owner == nil, owned[subscribed.sub] == nil {
            return ask(for: had, as: subscribed.sub)
        }
        if had.owner != subscribed.sub { end(wish, of: guest, "renewed") }
    }

    private func found(_ frame: ClientFrame.Subscribe, as owner: UInt64) -> MirroredGroup {
        lastSub += 1
        let group = MirroredGroup(sub: lastSub, selection: frame.select, parameters: frame.params)
        groups[group.sub] = group
        ask(for: group, as: owner)
        return group
    }

    private func ask(for group: MirroredGroup, as owner: UInt64) {
        group.isAsked(for: owner)
        owned[owner] = group
        let at = group.resumption(at: position)
        send { writer in
            writer.write(ClientFrame.Mirror(ref: group.sub, sub: owner, at: at))
        }
    }

    /// A client may not have a selection any more.
    private func lapsed(_ sub: UInt64, _ code: String, _ guest: Guest) {
        for (_, wish) in guest.wishes.sorted(by: { $0.key < $1.key })
        where wish.group?.owner == sub {
            end(wish, of: guest, code)
        }
    }

    private func end(_ wish: Wish, of guest: Guest, _ code: String) {
        if let subscription = guest.session.subscriptions[wish.ref] {
            guest.session.lapse(subscription, code)
        } else {
            guest.session.found(
                .failure(Rejection(Rejection.Code(code), "The server ended the subscription.")),
                for: wish.ref)
            released(wish.ref, of: guest.session)
        }
    }

    private func refused(_ error: FrameError, _ guest: Guest) {
        guard let number = error.ref else {
            // What this server took for a frame, the owner doesn't: what follows wouldn't fit.
            return guest.session.close(.protocolViolation, error.title)
        }
        // Let go of on both sides at the same time.
        guard error.code != .badReference, let wish = guest.wishes[number] else { return }
        let rejection = Rejection(
            Rejection.Code(error.code.word), error.title, detail: error.detail)
        if let subscription = guest.session.subscriptions[wish.ref] {
            guest.session.lapse(subscription, error.code.word)
        } else {
            guest.session.found(.failure(rejection), for: wish.ref)
        }
        guest.wishes[number] = nil
        if guest.numbers[wish.ref] == number { guest.numbers[wish.ref] = nil }
    }

    // MARK: From clients

    package func numberVisitor() -> UInt64 {
        visitors += 1
        return visitors
    }

    package func admit(_ session: ServerSession, _ hello: ClientFrame.Hello) -> Admission {
        session.takeLimits()
        let guest = Guest(session, hello)
        guests[session.number] = guest
        introduce(guest)
        return .later
    }

    /// Says to the owner who a client is, and what it has asked for.
    private func introduce(_ guest: Guest) {
        var hello = guest.hello
        hello.token = nil
        hello.identity = guest.session.identity.vouched
        hello.parts = nil
        if guest.isKnown {
            hello.settled = guest.session.dispatches.settled
            hello.seen = position
        }
        guest.isIntroduced = isConnected
        tell(of: guest) { $0.write(hello) }
        for (number, wish) in guest.wishes.sorted(by: { $0.key < $1.key }) {
            ask(for: wish, number, of: guest)
        }
    }

    private func ask(for wish: Wish, _ number: UInt64, of guest: Guest) {
        tell(of: guest) { writer in
            writer.writeSubscribe(
                ref: number, select: wish.frame.select, params: wish.frame.params?.json, at: nil)
        }
    }

    package func renewed(_ session: ServerSession) {
        guard let guest = guests[session.number], guest.isIntroduced else { return }
        tell(of: guest) { $0.write(session.identity.vouched) }
    }

    package func leave(_ session: ServerSession) {
        guard let guest = guests.removeValue(forKey: session.number) else { return }
        tell(of: guest, nil)
    }

    package func group(
        for frame: ClientFrame.Subscribe, of session: ServerSession
    ) throws(Rejection) -> Permitted<SelectionGroup>? {
        guard let guest = guests[session.number] else {
            throw Rejection(.unavailable, "The client isn't in the room.")
        }
        guest.lastWish += 1
        let wish = Wish(ref: frame.ref, frame: frame)
        guest.wishes[guest.lastWish] = wish
        guest.numbers[frame.ref] = guest.lastWish
        if guest.isIntroduced { ask(for: wish, guest.lastWish, of: guest) }
        return nil
    }

    package func released(_ ref: UInt64, of session: ServerSession) {
        guard let guest = guests[session.number],
            let number = guest.numbers.removeValue(forKey: ref)
        else { return }
        guest.wishes[number] = nil
        if guest.isIntroduced { tell(of: guest) { $0.writeUnsubscribe(ref: number) } }
    }

    package func receive(_ dispatch: ClientFrame.Dispatch, from session: ServerSession) {
        guard let guest = guests[session.number], guest.isLive else {
            return session.refused(dispatch.seq, Self.away)
        }
        // The owner said so when it let the client in, and the client didn't know yet.
        guard dispatch.seq > guest.settled else { return }
        let payload = dispatch.payload?.withBytes { Array($0) } ?? []
        let isSaid = say(for: guest) { writer in
            writer.writeDispatch(
                seq: dispatch.seq, base: dispatch.base, settled: dispatch.settled ?? 0,
                type: dispatch.type, payload: payload, traceparent: dispatch.traceparent)
        }
        if !isSaid { session.refused(dispatch.seq, Self.away) }
    }

    private static var away: Rejection {
        Rejection(
            .unavailable, "The server that has the room can't be reached.",
            retryAfter: .seconds(1))
    }

    // MARK: Groups that nobody has

    package func release(_ group: SelectionGroup) {
        if let group = groups[group.sub] { rest(group) }
    }

    /// A group is kept for a while, as clients reconnect.
    private func rest(_ group: MirroredGroup) {
        // Nobody is there to ask for it anew.
        if resumption != nil { return unsubscribe(group) }
        group.idleSince = loop.host.now
        idle.removeAll { $0 === group || $0.group?.isUnused == false }
        idle.append(group)
        while idle.count > limits.lingeringGroups
            || idle.count > 1
                && idle.reduce(0, { $0 + ($1.group?.idleSize ?? 0) }) > limits.lingeringBytes
        {
            unsubscribe(idle.removeFirst())
        }
        watchIdle()
    }

    private func watchIdle() {
        guard !isWatchingIdle, !idle.isEmpty else { return }
        isWatchingIdle = true
        loop.schedule(after: limits.lingerTime) { [weak self] in
            guard let self else { return }
            isWatchingIdle = false
            let now = loop.host.now
            while let first = idle.first, first.idleSince + limits.lingerTime <= now {
                idle.removeFirst()
                if first.group?.isUnused != false { unsubscribe(first) }
            }
            watchIdle()
        }
    }

    private func unsubscribe(_ group: MirroredGroup) {
        guard groups[group.sub] === group else { return }
        let isAsked = group.owner != nil
        forget(group)
        if isAsked, isConnected { send { $0.writeUnsubscribe(ref: group.sub) } }
    }

    private func forget(_ group: MirroredGroup) {
        groups[group.sub] = nil
        if let owner = group.owner { owned[owner] = nil }
        group.isAsked(for: nil)
        hasResumed(group)
    }

    package func forgetLingering() {
        for group in idle where group.group?.isUnused != false { unsubscribe(group) }
        idle = []
    }

    // MARK: As a room of a loop

    package func whenLoaded(_ body: @escaping (RoomPhase) -> Void) {
        if phase == .loading { waiting.append(body) } else { body(phase) }
    }

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
        self.limits = limits
        if let owner = ownerLimits {
            self.limits.window = min(limits.window, Int(owner.window))
            self.limits.subscriptions = min(limits.subscriptions, Int(owner.subscriptions))
            self.limits.messageBytes = min(limits.messageBytes, Int(owner.message))
            self.limits.depth = min(limits.depth, Int(owner.depth))
        }
        sessionLimits = SessionLimits(self.limits)
    }

    package var hasFailed: Bool {
        if case .failed = phase { true } else { false }
    }

    package var isUntouched: Bool {
        hasFailed || guests.isEmpty && groups.isEmpty && phase == .ready
    }
    package var isIdle: Bool { guests.isEmpty }
    package func prepareToUnload(_ completion: @escaping () -> Void) { completion() }
    package func prepareToEnd(_ completion: @escaping () -> Void) { completion() }
    package func endTurn() {}
    package func catchUp() {}
    package func abandon() {
        uplink?.close()
        disconnected()
    }

    package var gauges: RoomGauges {
        RoomGauges(
            groups: groups.count, waiting: 0, isRefused: phase == .ready && !isConnected,
            unsavedSince: nil)
    }

    package func close(_ code: CloseCode, _ title: String, after: Double, jitter: Double) {
        for session in sessionsInOrder {
            session.close(code, title, after: after, jitter: jitter)
        }
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
