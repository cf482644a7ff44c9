import StorecastMirror

@testable import StorecastRoom

/// A room and the edges of it, on loops of their own, in one thread.
final class TestCluster {
    let owner: TestLoop
    private(set) var edges: [TestEdge] = []
    private let definition: RoomDefinition<Shop>
    private let journal: any Journal

    init(
        _ definition: RoomDefinition<Shop> = Shop.room, journal: (any Journal)? = nil,
        limits: SyncLimits = SyncLimits()
    ) {
        owner = TestLoop(limits: limits)
        self.definition = definition
        self.journal = journal ?? TestJournal(isImmediate: true)
        owner.edgeKey = "key"
        owner.maker = { [unowned self] path in
            path == "/none"
                ? nil
                : owner.open(
                    self.definition, at: path, journal: self.journal, limits: limits)
        }
    }

    /// The owner's room.
    var room: Room<Shop> { owner.rooms.keptRoom("/a") as! Room<Shop> }

    func makeEdge(at path: String = "/a", key: String = "key") -> TestEdge {
        let edge = TestEdge(of: owner, at: path, key: key, client: "edge-\(edges.count)-0123456789")
        edges.append(edge)
        return edge
    }

    /// Lets everything flow until nothing moves.
    func settle(_ clients: TestClient...) { settle(clients) }

    func settle(_ clients: [TestClient]) {
        var isMoving = true
        while isMoving {
            for client in clients { client.settle() }
            isMoving = false
            for edge in edges where edge.exchange() { isMoving = true }
        }
    }
}

/// An edge with one room, and its connection to the owner in memory.
final class TestEdge {
    let loop: TestLoop
    private(set) var room: MirroredRoom!
    /// Everything that the owner has said to it.
    private(set) var heard: [ServerMessage] = []
    private(set) var restarts = 0
    private(set) var isClosed = false
    private var owner: TestLoop
    private let path: String
    private var wire: Wire?
    private var outgoing: [[UInt8]] = []
    private static nonisolated(unsafe) var lastID: UInt64 = 1000

    init(of owner: TestLoop, at path: String, key: String, client: String) {
        self.owner = owner
        self.path = path
        loop = TestLoop(unloadsRooms: true)
        loop.maker = { [unowned self] path in
            let room = MirroredRoom(
                path, limits: SyncLimits(), loop: loop.rooms,
                MirroredRoom.Credentials(key: key, client: client))
            room.uplink = Link(self)
            self.room = room
            return room
        }
        _ = loop.rooms.usedRoom(path)
    }

    /// Held by the room; the edge isn't.
    private final class Link: EdgeUplink {
        weak var edge: TestEdge?
        init(_ edge: TestEdge) { self.edge = edge }
        var isQuick: Bool { edge?.isQuick ?? false }
        var hasRoom: Bool { edge?.hasRoom ?? false }
        func connect() { edge?.connect() }
        func send(_ message: [UInt8]) -> Bool { edge?.send(message) ?? false }
        func restart(after bye: ServerFrame.Bye?) { edge?.restart(after: bye) }
        func stop() { edge?.close() }
        func reclaim() -> Bool {
            guard let edge, edge.hasOwners else { return false }
            edge.reclaims += 1
            return true
        }
        var owner: String? { edge?.ownerName }
    }

    /// Whether another owner may have the room.
    var hasOwners = false
    private(set) var reclaims = 0
    var ownerName: String?

    /// Whether little waits to be sent.
    var isQuick: Bool { outgoing.count < 100 }
    var hasRoom = true
    /// Whether its connection takes messages.
    var takes = true

    /// Makes a connection, if there is none.
    func connect() {
        guard wire == nil else { return }
        isClosed = false
        Self.lastID += 1
        wire = Wire(Self.lastID, to: path, on: owner)
        room.connected()
    }

    /// The connection ends, and what is on its way to the owner is lost unless `delivers`.
    func cut(delivers: Bool = false) {
        guard let wire else { return }
        if delivers { deliver() }
        self.wire = nil
        outgoing = []
        owner.rooms.end(wire.id)
        room.disconnected()
    }

    /// Connects to another server.
    func move(to owner: TestLoop) {
        cut()
        self.owner = owner
        connect()
    }

    /// Lets go of the room, as nobody is there.
    func letGo() {
        loop.advance(by: 3600)
        room = nil
    }

    func send(_ message: [UInt8]) -> Bool {
        guard wire != nil, takes else { return false }
        outgoing.append(message)
        return true
    }

    func restart(after bye: ServerFrame.Bye?) {
        restarts += 1
        cut()
    }

    func close() {
        isClosed = true
        outgoing = []
        guard let wire else { return }
        self.wire = nil
        owner.rooms.end(wire.id)
    }

    /// Whether the owner's end takes messages.
    var isWritable: Bool {
        get { wire?.isWritable ?? false }
        set {
            wire?.isWritable = newValue
            if newValue { wire?.resume() }
        }
    }

    private func deliver() {
        guard let wire, wire.session != nil else { return }
        let messages = outgoing
        outgoing = []
        for message in messages { wire.push(message) }
    }

    /// Carries what was said both ways; false if nothing was.
    func exchange() -> Bool {
        let isMoving = !outgoing.isEmpty
        deliver()
        owner.endTurn()
        return hear(.max) || isMoving
    }

    /// As ``exchange()``, but of what the owner says only some arrives.
    func exchangeOnly(_ arrives: (String) -> Bool) -> Bool {
        var isMoving = !outgoing.isEmpty
        deliver()
        owner.endTurn()
        while let wire, let message = wire.hearOne() {
            isMoving = true
            guard arrives(String(decoding: message.text, as: UTF8.self)) else { continue }
            message.text.withUnsafeBytes { room.receive($0) }
        }
        loop.endTurn()
        return isMoving
    }

    /// The first messages of the owner arrive, and the turn ends; false if there are none.
    @discardableResult
    func hear(_ count: Int) -> Bool {
        var left = count
        while left > 0, let wire, let message = wire.hearOne() {
            left -= 1
            heard.append(message)
            message.text.withUnsafeBytes { room.receive($0) }
        }
        if let wire, wire.closeCode != nil, wire.messages.isEmpty { cut() }
        loop.endTurn()
        return left < count
    }

    /// The first messages to the owner arrive.
    func speak(_ count: Int) {
        guard let wire, wire.session != nil else { return }
        let messages = outgoing.prefix(count)
        outgoing.removeFirst(messages.count)
        for message in messages { wire.push(message) }
    }

    func takeHeard() -> [String] {
        defer { heard = [] }
        return heard.map { String(decoding: $0.text, as: UTF8.self) }
    }
}
