package import StorecastSync
package import StorecastWire

/// An edge's connection to the server that owns a room, which is made again whenever it ends.
package protocol EdgeUplink: AnyObject {
    /// Makes it, if there is none.
    func connect()
    /// Sends a message; false if there is no connection, or it takes no more.
    func send(_ message: [UInt8]) -> Bool
    /// Whether little waits to be sent.
    var isQuick: Bool { get }
    /// Whether it takes much more.
    var hasRoom: Bool { get }
    /// Ends the connection, and makes another: not before the owner has asked for that.
    func restart(after bye: ServerFrame.Bye?)
    /// Ends it, and makes no other.
    func stop()
    /// The owner says that it has no such room, and this server knows that there is one: has it given
    /// to this server. False if there is no other owner than the one that was asked.
    func reclaim() -> Bool
    /// How the owner is called, if there are several.
    var owner: String? { get }
}

extension EdgeUplink {
    package func reclaim() -> Bool { false }
    package var owner: String? { nil }
}

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

    /// A client, and what the owner knows of it.
    private final class Guest {
        let session: ServerSession
        var hello: ClientFrame.Hello
        /// What it has asked for, by numbers that are used once: a ref of a client may be used
        /// again before the owner has answered.
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
        /// What the owner has rejected, until it says at which version that, and what came before,
        /// is settled.
        var rejects: [ServerFrame.Reject] = []

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
        /// How often it was asked for because what came of it before ended at once.
        var repetitions = 0
    }

    /// What the owner has said, to this server or to a client.
    private enum Message {
        case own(ServerFrame, history: JSONView?)
        case guest(ServerFrame, UInt64)
    }

    /// Changes that take effect together.
    private struct Transaction {
        let version: UInt64
        var left: UInt64
        /// Which of the transactions it is, and when it began.
        let number: UInt64
        let begun: Duration
        var parts: [Message] = []
    }

    /// The owner is there again, and hasn't said everything that it was asked for: nothing takes
    /// effect until it has, and then everything does at once, as in a transaction.
    private struct Resumption {
        enum Answer: Hashable {
            /// The first value of a group.
            case value(UInt64)
            /// Whether a client is still let in.
            case welcome(UInt64)
            /// Whether a client may still have something.
            case permission(UInt64, UInt64)
        }

        /// The version that it had when it let this server in.
        let version: UInt64
        var awaited: Set<Answer>
        var held: [Message] = []
        /// How many messages of a transaction are to come.
        var left: UInt64 = 0
    }

    package let name: String
    package private(set) var limits: SyncLimits
    package private(set) var sessionLimits: SessionLimits
    /// A client waits in ``admit(_:_:)``, and not before it is known who it is.
    package private(set) var phase = RoomPhase.ready
    package private(set) var position = Position(epoch: "", version: 0)
    /// The owner's.
    package private(set) var term: String?
    package var observer: (any RoomObserver)?
    package private(set) var failure = Admission.Refusal.trouble

    private unowned let loop: RoomLoop
    private let credentials: Credentials
    /// Set before anything comes.
    package var uplink: (any EdgeUplink)?
    /// How long the uplink waits before it makes the next connection.
    package var backOff = BackOff.betweenServers
    /// Whether the owner has all rooms of this server: when it is away, clients are better
    /// elsewhere.
    package var hasOneOwner = true
    /// Whether somebody has come, and the connection is wanted.
    private var isStarted = false
    /// How often in a row an owner said that there is no such room.
    private var denials = 0
    /// Whether the owner has let this server in on the connection that there is.
    package private(set) var isConnected = false
    /// Since when the owner has been away, or has owed a sign; nil if neither.
    private var silentSince: Duration?
    /// As this server has them.
    private var configured: SyncLimits
    /// How often the owner has let this server in while it had clients.
    private var connections: UInt64 = 0
    /// What the owner takes of a client: more isn't taken here either.
    private var ownerLimits: ServerFrame.Limits?
    private var visitors: UInt64 = 0
    private var guests: [UInt64: Guest] = [:]
    private(set) var groups: [UInt64: MirroredGroup] = [:]
    private var owned: [UInt64: MirroredGroup] = [:]
    private var lastSub: UInt64 = 0
    private let recent = RecentSnapshots(limit: 4 << 20)
    private var idle: [MirroredGroup] = []
    private var isWatchingIdle = false
    private var transaction: Transaction?
    /// How many have begun.
    private var transactions: UInt64 = 0
    private var isWatchingTransaction = false
    private var isTakingEffect = false
    /// Whether the connection is to end when all that came together has taken effect, and what the
    /// owner said.
    private var restartsThen = false
    private var byeThen: ServerFrame.Bye?
    private var resumption: Resumption?
    /// The clients that are still to be introduced on this connection.
    private var introductions: ArraySlice<UInt64> = []
    private var isIntroducing = false

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

    // MARK: The connection to the owner

    /// There is a connection.
    package func connected() {
        backOff.opened(at: loop.host.now)
        let seen = position.epoch.isEmpty ? nil : position
        send { writer in
            writer.write(
                ClientFrame.Hello(
                    client: credentials.client, seen: seen, term: term, token: credentials.key,
                    edge: EdgeClients.form))
        }
    }

    /// It has ended. What clients dispatch from now on may come again.
    package func disconnected() {
        isConnected = false
        backOff.closed(at: loop.host.now)
        silentSince = silentSince ?? loop.host.now
        transaction = nil
        resumption = nil
        introductions = []
        owned = [:]
        for group in groups.values {
            group.isAsked(for: nil)
            if group.group == nil { forget(group) }
        }
        for guest in guests.values {
            guest.isIntroduced = false
            guest.isLive = false
            guest.rejects = []
            for (number, wish) in guest.wishes where wish.group?.group == nil {
                guest.wishes[number]?.group = nil
            }
        }
    }

    /// A message of the owner.
    package func receive(_ message: UnsafeRawBufferPointer) {
        do {
            guard let first = message.first, (0x30...0x39).contains(first) else {
                let root = try JSONDocument(scanning: message, limits: Self.incoming).root
                let frame = try ServerFrame(reading: root)
                return try take(
                    .own(frame, history: root["history"]), before: root["following"]?.uint64 ?? 0)
            }
            guard let space = message.firstIndex(of: UInt8(ascii: " ")),
                let number = UInt64(String(decoding: message[..<space], as: UTF8.self))
            else { throw MirroredGroup.Misfit() }
            let rest = UnsafeRawBufferPointer(rebasing: message[(space + 1)...])
            try take(.guest(try ServerFrame(reading: rest, limits: Self.incoming), number))
        } catch {
            loop.host.report(
                "Room '\(name)': what the upstream sent makes no sense, and is asked for anew: "
                    + "\(error)")
            restart()
        }
    }

    /// The owner may send values of any size that a connection takes.
    private static var incoming: JSONLimits {
        var limits = JSONLimits()
        limits.bytes = .max
        limits.depth = 512
        return limits
    }

    private func restart(after bye: ServerFrame.Bye? = nil) {
        // First what came with values whom they aren't for any more.
        if isTakingEffect {
            restartsThen = true
            return byeThen = bye ?? byeThen
        }
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

    // MARK: How far it is behind

    /// Asks the owner for a sign, unless it owes one: what the owner had sent before is here when
    /// the sign is. So no clocks are compared.
    package func askForSign() {
        guard isConnected, silentSince == nil, uplink?.hasRoom == true else { return }
        silentSince = loop.host.now
        send { $0.writePing() }
    }

    private func heardSign() {
        guard isConnected, let since = silentSince else { return }
        silentSince = nil
        loop.host.took(loop.host.now - since, .roundTrip)
    }

    // MARK: What the owner says

    /// - Parameter following: how many messages to clients belong to a transaction, behind its
    ///   values.
    private func take(_ message: Message, before following: UInt64 = 0) throws {
        if resumption != nil { return try hold(message, before: following) }
        if transaction != nil {
            transaction?.parts.append(message)
            transaction?.left -= 1
            return try finishTransaction()
        }
        guard case .own(.transaction(let version, let count, _), _) = message else {
            return try process(message, known: position.version)
        }
        transactions += 1
        transaction = Transaction(
            version: version, left: count &+ following, number: transactions,
            begun: loop.host.now)
        try finishTransaction()
        watchTransaction()
    }

    /// Has the owner asked anew if it doesn't send all of a transaction.
    private func watchTransaction() {
        guard !isWatchingTransaction, let watched = transaction else { return }
        isWatchingTransaction = true
        let end = watched.begun + Self.longestResumption
        loop.schedule(after: max(.zero, end - loop.host.now)) { [weak self] in
            guard let self else { return }
            isWatchingTransaction = false
            guard transaction?.number == watched.number else { return watchTransaction() }
            giveUpTransaction()
        }
    }

    private func giveUpTransaction() {
        loop.host.report(
            "Room '\(name)': the upstream hasn't sent all that belongs together for "
                + "\(Self.longestResumption), and is asked anew.")
        restart()
    }

    private func finishTransaction() throws {
        guard let transaction, transaction.left == 0 else { return }
        self.transaction = nil
        try takeEffect(transaction.parts, at: transaction.version)
    }

    /// Everything that came together: first all values, so that what is said to clients finds them
    /// at one version.
    private func takeEffect(_ messages: [Message], at version: UInt64) throws {
        isTakingEffect = true
        defer {
            isTakingEffect = false
            if restartsThen {
                restartsThen = false
                restart(after: byeThen.take())
            }
        }
        let known = position.version
        // What makes no sense keeps none of the others from taking effect.
        var problem: (any Error)?
        for case .own(let frame, let history) in messages {
            guard isConnected else { return }
            do { try process(frame, history, known: known) } catch { problem = problem ?? error }
        }
        reach(version)
        for case .guest(let frame, let number) in messages {
            guard isConnected else { return }
            do { try process(.guest(frame, number), known: known) } catch {
                problem = problem ?? error
            }
        }
        if let problem { throw problem }
    }

    /// - Parameter known: the version up to which values are known to be those at hand.
    private func process(_ message: Message, known: UInt64) throws {
        switch message {
        case .own(let frame, let history): try process(frame, history, known: known)
        case .guest(let frame, let number):
            // It may have gone meanwhile.
            if let guest = guests[number] { try process(frame, for: guest) }
        }
    }

    private func process(
        _ frame: ServerFrame, _ history: JSONView?, known: UInt64
    ) throws {
        switch frame {
        case .welcome(let welcome): welcomed(welcome)
        case .subscribed(let subscribed):
            guard let group = groups[subscribed.ref] else { break }
            if !group.answered(subscribed.tag) { end(group, "renewed") }
        // Of what was held.
        case .transaction: break
        case .snapshot(let sub, let version, _), .patch(let sub, _, let version, _),
            .current(let sub, let version):
            // Nobody may want it any more.
            if let group = answered(sub) { apply(frame, history, to: group, known: known) }
            reach(version)
        case .lapse(let sub, let code): if let group = owned[sub] { end(group, code) }
        case .error(let error):
            guard let ref = error.ref else { throw error }
            // Whoever it was asked for has gone meanwhile; others may still have it.
            let code =
                error.code == .badReference ? "renewed" : Rejection.Code.internal.description
            if let group = groups[ref] { end(group, code) }
        case .bye(let bye): leave(bye)
        case .pong: heardSign()
        case .term(let id):
            term = id
            for session in sessionsInOrder { session.tellTerm() }
        case .reject, .renew: break
        }
    }

    private func welcomed(_ welcome: ServerFrame.Welcome) {
        isConnected = true
        denials = 0
        silentSince = nil
        let before = limits.frame
        ownerLimits = welcome.limits
        set(configured)
        let isNarrower =
            limits.frame.window < before.window || limits.frame.message < before.message
            || limits.frame.depth < before.depth
            || limits.frame.subscriptions < before.subscriptions
        for guest in guests.values { guest.session.takeLimits() }
        if !position.epoch.isEmpty, position.epoch != welcome.position.epoch {
            position = Position(epoch: "", version: 0)
            sendAway("The room begins anew.")
            for group in groups.values { forget(group) }
            idle = []
        } else if isNarrower {
            sendAway("The server has other limits now.")
        }
        position.epoch = welcome.position.epoch
        if term != welcome.term {
            term = welcome.term
            for session in sessionsInOrder { session.tellTerm() }
        }
        // Nobody would ask for these anew.
        forgetLingering()
        var awaited = Set(groups.keys.map { Resumption.Answer.value($0) })
        for (number, guest) in guests where guest.isKnown {
            awaited.insert(.welcome(number))
            for (wish, content) in guest.wishes where content.group != nil {
                awaited.insert(.permission(number, wish))
            }
        }
        if awaited.isEmpty {
            reach(welcome.position.version)
        } else {
            resumption = Resumption(version: welcome.position.version, awaited: awaited)
            connections += 1
            let connection = connections
            loop.schedule(after: Self.longestResumption) { [weak self] in
                if let self, connections == connection { giveUpAwaited() }
            }
        }
        introductions = guests.keys.sorted()[...]
        introduceSome()
    }

    /// Clients are to come back, and hear with their welcome what has become different.
    private func sendAway(_ title: String) {
        let jitter = max(1, Double(guests.count) / 1000)
        for session in sessionsInOrder where guests[session.number]?.isKnown == true {
            session.close(.goingAway, title, after: 0, jitter: jitter)
        }
    }

    private func answered(_ sub: UInt64) -> MirroredGroup? {
        owned[sub].flatMap { $0.isAnswered ? $0 : nil }
    }

    private func apply(
        _ frame: ServerFrame, _ history: JSONView?, to group: MirroredGroup, known: UInt64
    ) {
        do {
            switch frame {
            case .snapshot(_, let version, let value) where group.group == nil:
                let new = try group.begin(
                    value.json, at: version, history: history, limits, recent)
                reach(version)
                give(new, of: group)
            case .snapshot(_, let version, let value):
                try group.replace(
                    by: value.json, at: version, known: known, work: limits.turnWork)
            case .patch(_, let from, let version, let operations):
                try group.apply(operations, from: from, to: version, known: known)
            case .current(_, let version): try group.confirm(version)
            default: break
            }
        } catch is MirroredGroup.Interrupted {
            end(group, "renewed")
        } catch {
            loop.host.report(
                "Room '\(name)': a value of '\(group.selection)' doesn't fit, and is asked for "
                    + "anew: \(error)")
            end(group, "renewed")
        }
    }

    /// A group has its first value.
    private func give(_ new: SelectionGroup, of group: MirroredGroup) {
        let waiting = group.waiting.sorted()
        group.waiting = []
        for waiter in waiting {
            guard let guest = guests[waiter.guest], let ref = guest.wishes[waiter.wish]?.ref
            else { continue }
            guest.session.found(.success(Permitted(byOwner: new)), for: ref)
        }
        if new.isUnused { rest(group) }
    }

    private func reach(_ version: UInt64) {
        if isConnected { position.version = max(position.version, version) }
    }

    /// Ends what clients have of a group, or wait for.
    private func end(_ group: MirroredGroup, _ code: String) {
        unsubscribe(group)
        for subscription in group.group?.subscriptions ?? [] {
            subscription.subscriber.lapse(subscription, code)
        }
        let waiting = group.waiting.sorted()
        group.waiting = []
        for waiter in waiting {
            if let guest = guests[waiter.guest], let wish = guest.wishes[waiter.wish] {
                end(wish, of: guest, code)
            }
        }
    }

    /// How long it is until an owner is asked again that has refused this server.
    private static let patience = Duration.seconds(5)
    /// How often owners may say that there is no such room until clients are told so: with the pauses
    /// between them, up to six seconds.
    private static let mostDenials = 6

    /// The owner ends the connection.
    private func leave(_ bye: ServerFrame.Bye) {
        guard !bye.reconnect else { return restart(after: bye) }
        let isDenied = bye.code == CloseCode.noRoom.word
        if isDenied, denials < Self.mostDenials, uplink?.reclaim() == true {
            denials += 1
            return restart(after: bye)
        }
        denials = 0
        let owner = uplink?.owner
        disconnected()
        uplink?.stop()
        if isDenied {
            failure = Admission.Refusal(.noRoom, bye.title)
        } else {
            // What it has against this server isn't the clients' fault. It is the same for each
            // room.
            let name = owner.map { ", \($0)," } ?? ""
            loop.host.report("The upstream\(name) refuses this edge: \(bye.title)")
            failure = .trouble
        }
        phase = .failed(.unavailable(bye.title))
        isStarted = false
        for session in sessionsInOrder {
            session.close(
                failure.code, failure.title, after: failure.after, jitter: failure.jitter)
        }
        loop.schedule(after: Self.patience) { [weak self] in self?.phase = .ready }
    }

    // MARK: An owner that is there again

    private func hold(_ message: Message, before following: UInt64) throws {
        var passes = false
        switch message {
        case .own(.transaction(_, let count, _), _): resumption?.left = count &+ following
        case .own(.snapshot(let sub, _, _), _), .own(.patch(let sub, _, _, _), _),
            .own(.current(let sub, _), _):
            if let group = answered(sub) { resumption?.awaited.remove(.value(group.sub)) }
            noteHeld()
        case .own: return try process(message, known: position.version)
        case .guest(let frame, let number):
            let wishes = guests[number]?.wishes
            switch frame {
            case .welcome: resumption?.awaited.remove(.welcome(number))
            case .bye: passes = true
            case .subscribed(let subscribed):
                resumption?.awaited.remove(.permission(number, subscribed.ref))
                // It is what the value is asked for by.
                passes = wishes?[subscribed.ref]?.group != nil
            case .error(let error):
                if let ref = error.ref { resumption?.awaited.remove(.permission(number, ref)) }
                passes = error.ref.flatMap { wishes?[$0]?.group } != nil
            default: break
            }
            noteHeld()
        }
        if passes {
            try process(message, known: position.version)
        } else {
            resumption?.held.append(message)
        }
        try endResumption()
    }

    private func noteHeld() {
        if let left = resumption?.left, left > 0 { resumption?.left = left - 1 }
    }

    /// Lets everything take effect if nothing is awaited any more.
    private func endResumption() throws {
        guard let done = resumption, done.awaited.isEmpty, done.left == 0 else { return }
        resumption = nil
        try takeEffect(done.held, at: done.version)
    }

    /// How long everybody waits until the owner has said everything, when it is there again, or of
    /// what belongs together.
    private static let longestResumption = Duration.seconds(10)

    /// Those go on without whom everything has come.
    private func giveUpAwaited() {
        guard let awaited = resumption?.awaited else { return }
        resumption?.awaited = []
        for answer in awaited {
            switch answer {
            case .value(let sub): if let group = groups[sub] { end(group, "renewed") }
            case .permission(let number, let wish):
                if let guest = guests[number], let wish = guest.wishes[wish] {
                    end(wish, of: guest, "renewed")
                }
            case .welcome(let number):
                guests[number]?.session.close(
                    .goingAway, "The server that has the room takes long.", after: 1, jitter: 5)
            }
        }
        do { try endResumption() } catch { restart() }
        // A transaction has begun that isn't over.
        guard resumption != nil else { return }
        let connection = connections
        loop.schedule(after: Self.longestResumption) { [weak self] in
            if let self, connections == connection, resumption != nil { giveUpTransaction() }
        }
    }

    /// Something that is awaited won't come.
    private func isNotAwaited(_ answer: Resumption.Answer) {
        guard resumption?.awaited.remove(answer) != nil else { return }
        // Not in the middle of what a client says.
        loop.schedule(after: .zero) { [weak self] in
            do { try self?.endResumption() } catch { self?.restart() }
        }
    }

    // MARK: From the owner, to clients

    private func process(_ frame: ServerFrame, for guest: Guest) throws {
        let session = guest.session
        switch frame {
        case .welcome(let welcome):
            reach(welcome.position.version)
            guest.isLive = true
            guest.settled = welcome.lastSeq
            guard guest.isKnown else {
                guest.isKnown = true
                session.epoch = welcome.position.epoch
                // From now on it has what this server has.
                (guest.hello.seen, guest.hello.term, guest.hello.token) = (nil, nil, nil)
                return session.admitted(
                    .welcome(lastSeq: welcome.lastSeq, rejected: welcome.rejected))
            }
            // It was asked for with what this server has seen, and that is a part of the history.
            guard welcome.position.epoch.isSameText(as: position.epoch) else {
                return session.close(.goingAway, "The room begins anew.")
            }
            session.resume(lastSeq: welcome.lastSeq, rejected: welcome.rejected)
        case .transaction(let version, _, let acked):
            reach(version)
            if let acked {
                session.settled(through: acked, guest.rejects)
                guest.rejects.removeAll { $0.seq <= acked }
            }
        case .reject(let reject):
            if reject.retryable { return session.refused(reject.seq, Rejection(reject)) }
            let last = guest.rejects.last?.seq ?? 0
            // One that another server took from the client may be told here.
            let window = max(limits.window, Int(clamping: ownerLimits?.window ?? 0))
            guard reject.seq > last, guest.rejects.count < window else {
                throw MirroredGroup.Misfit()
            }
            guest.rejects.append(reject)
        case .subscribed(let subscribed): allowed(subscribed, guest)
        case .lapse(let sub, let code): lapsed(sub, code, guest)
        case .error(let error): refused(error, guest)
        case .bye(let bye):
            guest.isIntroduced = false
            session.close(
                CloseCode(word: bye.code) ?? .internalError, bye.title, after: bye.after,
                jitter: bye.jitter)
        case .snapshot, .patch, .current: throw MirroredGroup.Misfit()
        case .pong, .renew, .term: break
        }
    }

    /// The owner lets a client have what it asked for.
    private func allowed(_ subscribed: ServerFrame.Subscribed, _ guest: Guest) {
        guard let wish = guest.wishes[subscribed.ref] else { return }
        guard let had = wish.group, groups[had.sub] === had else {
            let group = owned[subscribed.sub] ?? found(wish.frame, as: subscribed.sub)
            // The connection may have ended over it.
            guard groups[group.sub] === group else { return }
            guest.wishes[subscribed.ref]?.group = group
            guard let ready = group.group else {
                group.waiting.insert(
                    MirroredGroup.Waiter(guest: guest.session.number, wish: subscribed.ref))
                return
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
        for number in guest.wishes.keys.sorted() {
            // Another ref of the same subscription ends with the first.
            guard let wish = guest.wishes[number], wish.group?.owner == sub else { continue }
            end(wish, of: guest, code)
        }
    }

    private func end(_ wish: Wish, of guest: Guest, _ code: String) {
        if let subscription = guest.session.subscriptions[wish.ref] {
            return guest.session.lapse(subscription, code)
        }
        released(wish.ref, of: guest.session)
        // The client doesn't know of it yet, and would have to be told to ask again.
        guard code != "renewed" || wish.repetitions >= Self.mostRepetitions else {
            return want(wish.frame, of: guest, repetitions: wish.repetitions + 1)
        }
        let code = code == "renewed" ? Rejection.Code.unavailable : Rejection.Code(code)
        guest.session.found(
            .failure(Rejection(code, "The server ended the subscription.")), for: wish.ref)
    }

    private static let mostRepetitions = 3

    private func refused(_ error: FrameError, _ guest: Guest) {
        guard let number = error.ref else {
            // What this server took for a frame, the owner doesn't: what follows wouldn't fit.
            return guest.session.close(.protocolViolation, error.title)
        }
        // Let go of on both sides at the same time.
        guard error.code != .badReference, let wish = guest.wishes[number] else { return }
        if let subscription = guest.session.subscriptions[wish.ref] {
            guest.session.lapse(subscription, error.code.word)
        } else {
            let rejection = Rejection(
                Rejection.Code(error.code.word), error.title, detail: error.detail)
            guest.session.found(.failure(rejection), for: wish.ref)
        }
        guest.wishes[number] = nil
        noLongerWaits(number, wish, guest)
        if guest.numbers[wish.ref] == number { guest.numbers[wish.ref] = nil }
    }

    private func noLongerWaits(_ number: UInt64, _ wish: Wish?, _ guest: Guest) {
        wish?.group?.waiting.remove(
            MirroredGroup.Waiter(guest: guest.session.number, wish: number))
    }

    // MARK: From clients

    /// The owner says that, with its welcome.
    package func standing(of hello: ClientFrame.Hello) -> Standing? { .epoch(position.epoch) }

    package func numberVisitor() -> UInt64 {
        visitors += 1
        return visitors
    }

    package func admit(_ session: ServerSession, _ hello: ClientFrame.Hello) -> Admission {
        if !isStarted {
            isStarted = true
            silentSince = loop.host.now
            uplink?.connect()
        }
        session.takeLimits()
        let guest = Guest(session, hello)
        guests[session.number] = guest
        introduce(guest)
        return .later
    }

    /// Introduces clients as long as the connection takes it quickly, and then others.
    private func introduceSome() {
        while isConnected, uplink?.isQuick == true, let number = introductions.popFirst() {
            if let guest = guests[number], !guest.isIntroduced { introduce(guest) }
        }
        guard !introductions.isEmpty, !isIntroducing else { return }
        isIntroducing = true
        loop.schedule(after: .milliseconds(2)) { [weak self] in
            self?.isIntroducing = false
            self?.introduceSome()
        }
    }

    /// Says to the owner who a client is, and what it has asked for.
    private func introduce(_ guest: Guest) {
        var hello = guest.hello
        hello.token = nil
        hello.identity = guest.session.identity.vouched
        hello.parts = nil
        if guest.isKnown {
            hello.settled = guest.session.dispatches.settled
            (hello.seen, hello.term) = (position, term)
        }
        // What is more than the owner takes would end the connection of all.
        var writer = JSONWriter(reserving: 256)
        writer.write(hello)
        guard writer.bytes.count <= limits.messageBytes else {
            return guest.session.close(
                .tooBig, "A message may have \(limits.messageBytes) bytes.")
        }
        guest.isIntroduced = isConnected
        tell(of: guest) { $0.raw(writer.bytes) }
        for (number, wish) in guest.wishes.sorted(by: { $0.key < $1.key }) {
            guard let text = question(for: wish.frame, number) else {
                end(wish, of: guest, Rejection.Code.invalidParameters.description)
                continue
            }
            tell(of: guest) { $0.raw(text) }
        }
    }

    /// Asks the owner for what a client wants; nil if that takes more than the owner takes.
    private func question(for frame: ClientFrame.Subscribe, _ number: UInt64) -> [UInt8]? {
        var writer = JSONWriter(reserving: 256)
        writer.writeSubscribe(
            ref: number, select: frame.select, params: frame.params?.json, at: nil)
        return writer.bytes.count <= limits.messageBytes ? writer.bytes : nil
    }

    package func renewed(_ session: ServerSession) {
        guard let guest = guests[session.number], guest.isIntroduced else { return }
        tell(of: guest) { $0.write(session.identity.vouched) }
    }

    package func leave(_ session: ServerSession) {
        guard let guest = guests.removeValue(forKey: session.number) else { return }
        for (number, wish) in guest.wishes {
            noLongerWaits(number, wish, guest)
            isNotAwaited(.permission(session.number, number))
        }
        isNotAwaited(.welcome(session.number))
        if guest.isIntroduced { tell(of: guest, nil) }
    }

    package func group(
        for frame: ClientFrame.Subscribe, of session: ServerSession
    ) throws(Rejection) -> Permitted<SelectionGroup>? {
        guard let guest = guests[session.number] else {
            throw Rejection(.unavailable, "The client isn't in the room.")
        }
        guard !guest.isIntroduced || uplink?.hasRoom == true else {
            session.close(
                .busy, "The server that has the room takes nothing more now.", after: 5, jitter: 10)
            throw Rejection(.busy, "The server that has the room takes nothing more now.")
        }
        var frame = frame
        // The rest of its message isn't kept for it.
        frame.params = frame.params?.alone
        guard question(for: frame, guest.lastWish + 1) != nil else {
            throw Rejection(.invalidParameters, "The selection's parameters are too large.")
        }
        want(frame, of: guest)
        return nil
    }

    private func want(
        _ frame: ClientFrame.Subscribe, of guest: Guest, repetitions: Int = 0
    ) {
        guest.lastWish += 1
        let wish = Wish(ref: frame.ref, frame: frame, repetitions: repetitions)
        guest.wishes[guest.lastWish] = wish
        guest.numbers[frame.ref] = guest.lastWish
        if guest.isIntroduced, let text = question(for: frame, guest.lastWish) {
            tell(of: guest) { $0.raw(text) }
        }
    }

    package func released(_ ref: UInt64, of session: ServerSession) {
        guard let guest = guests[session.number],
            let number = guest.numbers.removeValue(forKey: ref)
        else { return }
        let wish = guest.wishes.removeValue(forKey: number)
        noLongerWaits(number, wish, guest)
        isNotAwaited(.permission(session.number, number))
        if guest.isIntroduced { tell(of: guest) { $0.writeUnsubscribe(ref: number) } }
    }

    package func receive(_ dispatch: ClientFrame.Dispatch, from session: ServerSession) {
        guard let guest = guests[session.number], guest.isLive, uplink?.isQuick == true else {
            return session.refused(dispatch.seq, Self.away)
        }
        // The owner said so when it let the client in, and the client didn't know yet.
        guard dispatch.seq > guest.settled else {
            session.trace?.ended(dispatch.seq, nil)
            return
        }
        let payload = dispatch.payload?.withBytes { Array($0) } ?? []
        // One that is almost too long names what its client does, if anything.
        let isShort = payload.count + dispatch.type.utf8.count + 1024 <= limits.messageBytes
        let own = isShort ? session.trace?.traceparent(of: dispatch.seq) : nil
        var writer = JSONWriter(reserving: payload.count + 128)
        writer.writeDispatch(
            seq: dispatch.seq, base: dispatch.base, settled: dispatch.settled ?? 0,
            type: dispatch.type, payload: payload, traceparent: own ?? dispatch.traceparent)
        // Written anew, it may be longer than it came: then the owner would end the connection.
        guard writer.bytes.count <= limits.messageBytes else {
            return session.close(.tooBig, "A message may have \(limits.messageBytes) bytes.")
        }
        if !say(for: guest, { $0.raw(writer.bytes) }) { session.refused(dispatch.seq, Self.away) }
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
        isNotAwaited(.value(group.sub))
    }

    package func forgetLingering() {
        for group in idle where group.group?.isUnused != false { unsubscribe(group) }
        idle = []
    }

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
