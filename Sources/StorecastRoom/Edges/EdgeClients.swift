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

    private unowned let trunk: ServerSession
    private unowned let loop: any SessionLoop
    private var links: [UInt64: PassedLink] = [:]
    private var outgoing: [ServerMessage] = []
    private var outgoingBytes = 0
    /// Whether one of the sessions waits until what is to be sent is sent.
    private var isAwaited = false
    /// What rules have let its clients have, by the groups' numbers, and how many have it.
    private var permits: [UInt64: (permitted: Permitted<SelectionGroup>, count: Int)] = [:]

    init(of trunk: ServerSession, on loop: any SessionLoop) {
        self.trunk = trunk
        self.loop = loop
    }

    package var count: Int { links.count }
    var hasMessages: Bool { !outgoing.isEmpty }

    /// Takes a message that begins with a digit: a client's, or nothing behind the number if it has
    /// gone. False if it has no number, or that of nobody who may come.
    func receive(_ message: UnsafeRawBufferPointer) -> Bool {
        var number: UInt64 = 0
        var place = 0
        while place < message.count, (0x30...0x39).contains(message[place]) {
            guard place < 15 else { return false }
            number = number * 10 + UInt64(message[place] & 0x0F)
            place += 1
        }
        guard place < message.count else {
            if let link = links.removeValue(forKey: number) { loop.end(link.id) }
            return true
        }
        guard message[place] == UInt8(ascii: " ") else { return false }
        let rest = UnsafeRawBufferPointer(rebasing: message[(place + 1)...])
        if let link = links[number] {
            link.session?.receive(rest)
            return true
        }
        guard links.count < trunk.room.limits.connections else { return false }
        let link = PassedLink(number, of: self, id: loop.flushes.numberPassed())
        links[number] = link
        link.session = loop.begin(link, in: trunk.room.name)
        link.session?.receive(rest)
        return true
    }

    /// What is to be said to clients; behind it those are asked that waited for place.
    func takeMessages() -> [ServerMessage] {
        defer {
            outgoing = []
            outgoingBytes = 0
            if isAwaited {
                isAwaited = false
                for link in links.values {
                    if let session = link.session, session.hasMessages { loop.flushes.add(session) }
                }
            }
        }
        return outgoing
    }

    /// The edge's connection is over.
    func end() {
        let ids = links.sorted { $0.key < $1.key }.map(\.value.id)
        links = [:]
        permits = [:]
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

    /// A group that at least one of the clients has.
    func group(_ sub: UInt64) -> Permitted<SelectionGroup>? { permits[sub]?.permitted }

    // MARK: From the sessions

    /// How many bytes may wait to be sent before sessions wait.
    private static let limit = 256 << 10

    fileprivate var takesMessages: Bool {
        if outgoingBytes >= Self.limit { isAwaited = true }
        return outgoingBytes < Self.limit
    }

    fileprivate func say(_ messages: [ServerMessage], to number: UInt64) {
        if outgoing.isEmpty { loop.flushes.add(trunk) }
        for message in messages {
            let message = message.prefixed(by: number)
            outgoing.append(message)
            outgoingBytes += message.frameSize
        }
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
    private unowned let clients: EdgeClients

    init(_ number: UInt64, of clients: EdgeClients, id: UInt64) {
        self.number = number
        self.clients = clients
        self.id = id
    }

    var isWritable: Bool { clients.takesMessages }
    // Its edge counts the connections of an address.
    var isLocal: Bool { true }
    var edge: EdgeClients? { clients }

    func write(_ messages: [ServerMessage]) { clients.say(messages, to: number) }

    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        clients.say(last, to: number)
        clients.left(self)
    }

    // What comes meanwhile waits in the session, and counts there.
    func setReading(_ reads: Bool) {}
}

extension Identity {
    /// As an edge says. When it expires, the edge knows, and keeps.
    init(vouched identity: VouchedIdentity) {
        self.init(identity.id, roles: Set(identity.roles))
    }

    var vouched: VouchedIdentity { VouchedIdentity(id: id, roles: roles.sorted()) }
}
