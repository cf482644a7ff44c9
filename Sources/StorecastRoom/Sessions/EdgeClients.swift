import StorecastSync
import StorecastWire

/// The clients that an edge speaks for over its connection, which is a session of its room: each has
/// a session of its own here, as if it were connected itself, but is sent values by the edge.
///
/// A message of one begins with the number that the edge has for it, in both directions. What is said
/// to clients goes behind the values that the edge is sent at that moment, so that an edge knows what
/// an action did when it hears that it was reduced. Belongs to the room's loop.
package final class EdgeClients {
    /// The form in which an edge speaks for its clients.
    package static let form: UInt64 = 1

    unowned let trunk: ServerSession
    private unowned let loop: any SessionLoop
    private var links: [UInt64: PassedLink] = [:]
    /// Those who have something to be told.
    private var due: [PassedLink] = []
    /// What those were told last whose sessions have ended.
    private var last: [ServerMessage] = []
    /// The numbers of the groups of which the edge has a subscription.
    var mirrored: Set<UInt64> = []
    /// What rules have let its clients have, by the groups' numbers, and how many have it.
    private var permits: [UInt64: (permitted: Permitted<SelectionGroup>, count: Int)] = [:]

    init(of trunk: ServerSession, on loop: any SessionLoop) {
        self.trunk = trunk
        self.loop = loop
    }

    var hasMessages: Bool { !due.isEmpty || !last.isEmpty }

    /// Takes a message that begins with a digit: a client's, or nothing behind the number if it has
    /// gone. False if it has no number, or that of nobody who may come.
    func receive(_ message: UnsafeRawBufferPointer) -> Bool {
        guard let message = PassedMessage(reading: message) else { return false }
        let number = message.number
        guard let frame = message.frame else {
            if let link = links.removeValue(forKey: number) { loop.end(link.id) }
            return true
        }
        // A few bytes begin a session and end it, and what is said of that is more.
        guard last.count <= trunk.room.limits.connections else {
            loop.flushes.counts.reached("connections")
            trunk.close(
                .busy, "The edge reads the answers to its clients too slowly.", after: 1, jitter: 1)
            return true
        }
        if let link = links[number] {
            link.session?.receive(frame)
            return true
        }
        if case .failed = trunk.room.phase {
            // It is opened anew when nobody is in it, or by another server.
            trunk.close(.goingAway, "The room can't go on here.", after: 0.5, jitter: 1)
            return true
        }
        let link = PassedLink(number, of: self, id: loop.flushes.numberPassed())
        links[number] = link
        link.session = loop.begin(link, in: trunk.room.name)
        link.session?.receive(frame)
        return true
    }

    /// One of the sessions has something to say.
    func isDue(_ link: PassedLink) {
        guard !link.isDue else { return }
        link.isDue = true
        if !hasMessages { loop.flushes.add(trunk) }
        due.append(link)
    }

    /// What is to be said to clients now, all of it: so that what they may not have any more is said
    /// with the values that they may not have.
    func takeMessages() -> [ServerMessage] {
        var messages = last
        last = []
        while !due.isEmpty {
            let links = due
            due = []
            for link in links {
                link.isDue = false
                guard let session = link.session else { continue }
                var own: [ServerMessage] = []
                session.pull(into: &own)
                for message in own { messages.append(message.prefixed(by: link.number)) }
                session.wrote()
            }
        }
        // Those that have ended meanwhile.
        messages += last
        last = []
        return messages
    }

    /// The edge's connection is over.
    func end() {
        let ids = links.sorted { $0.key < $1.key }.map(\.value.id)
        links = [:]
        permits = [:]
        due = []
        last = []
        for id in ids { loop.end(id) }
    }

    // MARK: Groups

    /// One of the clients has the group.
    func has(_ permitted: Permitted<SelectionGroup>) {
        permits[permitted.value.sub, default: (permitted, 0)].count += 1
    }

    func hasNoMore(_ group: SelectionGroup) {
        guard let count = permits[group.sub]?.count else { return }
        if count > 1 { permits[group.sub]?.count = count - 1 } else { permits[group.sub] = nil }
    }

    /// A group that at least one of the clients has, unless the edge has asked for it already.
    func group(_ sub: UInt64) -> Permitted<SelectionGroup>? {
        mirrored.contains(sub) ? nil : permits[sub]?.permitted
    }

    // MARK: From the sessions

    fileprivate func say(_ messages: [ServerMessage], to number: UInt64) {
        if !hasMessages { loop.flushes.add(trunk) }
        for message in messages { last.append(message.prefixed(by: number)) }
    }

    fileprivate func left(_ link: PassedLink) {
        guard links[link.number] === link else { return }
        links[link.number] = nil
        loop.end(link.id)
    }
}

/// The way to a client through its edge.
final class PassedLink: ServerLink {
    let number: UInt64
    let id: UInt64
    var session: ServerSession?
    /// Whether it is among those who have something to be told.
    fileprivate(set) var isDue = false
    private unowned let clients: EdgeClients

    init(_ number: UInt64, of clients: EdgeClients, id: UInt64) {
        self.number = number
        self.clients = clients
        self.id = id
    }

    // It is pulled with its edge's own.
    var isWritable: Bool { false }
    // Its edge counts the connections of an address.
    var isLocal: Bool { true }
    var edge: EdgeClients? { clients }

    func write(_ messages: [ServerMessage]) {}
    func queue() { clients.isDue(self) }

    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        clients.say(last, to: number)
        clients.left(self)
    }

    // What comes meanwhile waits in the session, and counts there: when all that waits is too much,
    // those are ended of whom most does.
    func setReading(_ reads: Bool) {}
}
