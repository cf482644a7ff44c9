import Logging
import StorecastRoom
import StorecastSync
import StorecastWebSocket
import StorecastWire

/// The connection of a mirrored room to the server that owns it, made again whenever it ends: to
/// that server, or to the one that owns the room then.
final class SocketUplink: EdgeUplink, WebSocketClientDelegate {
    private weak var room: MirroredRoom?
    private unowned let core: ServerLoopCore
    private let name: String
    private let upstream: Upstream
    private var client: WebSocketClient?
    /// The id of the owner that it is connected to, or was, or couldn't be; empty if there is only
    /// one. An address may be that of another process by now.
    private(set) var server = ""
    /// Where that is.
    private var url = ""
    /// Which question for the owner is the newest.
    private var question = 0
    private var random = SystemRandomNumberGenerator()
    /// What the owner said at the end.
    private var bye: ServerFrame.Bye?
    private var isOver = false
    /// The id of the owner that it misses; nil if none.
    private var missed: String?
    /// The core's, which may be gone when this ends.
    private let absences: UpstreamAbsences
    /// Which of the pauses before something is tried is waited for.
    private var pause = 0

    init(of room: MirroredRoom, to upstream: Upstream, on core: ServerLoopCore) {
        self.room = room
        self.core = core
        name = room.name
        self.upstream = upstream
        absences = core.configuration.absences
    }

    func connect() {
        isOver = false
        pause += 1
        if let place = upstream.place(of: name) { return connect(to: place) }
        ask()
    }

    /// Asks where the owner is.
    private func ask() {
        question += 1
        guard core.peers.indices.contains(core.index) else { return }
        let (home, upstream, name, question) = (core.peers[core.index], upstream, name, question)
        Task {
            let found: Result<Upstream.Place, any Error>
            do { found = .success(try await upstream.find(name)) } catch { found = .failure(error) }
            home.perform { $0.uplink(of: name)?.found(found, question) }
        }
    }

    private func found(_ place: Result<Upstream.Place, any Error>, _ question: Int) {
        guard question == self.question, !isOver else { return }
        let isConnected = client?.isConnected == true
        switch place {
        // It works, as far as anybody can tell.
        case .success(let place) where isConnected && place.server.isSameText(as: server): break
        case .success(let place):
            if isConnected { drop() }
            connect(to: place)
        case .failure where isConnected: later(nextDelay()) { $0.lost() }
        case .failure(let error): connectLater("\(error)")
        }
    }

    private func connect(to place: Upstream.Place) {
        if client == nil || !place.server.isSameText(as: server) {
            let old = client
            client = WebSocketClient(
                on: core.loop, configuration: place.configuration, delegate: self)
            // It may still be about to connect, and nobody would end that connection.
            old?.close()
        }
        (server, url) = (place.server, place.url)
        client?.connect()
    }

    func send(_ message: [UInt8]) -> Bool {
        guard let client, client.isConnected else { return false }
        return client.send(message)
    }

    var isQuick: Bool { client.map { $0.bufferedBytes < 1 << 20 } ?? true }
    var hasRoom: Bool { client.map { $0.bufferedBytes < 8 << 20 } ?? true }

    func restart(after bye: ServerFrame.Bye?) {
        if let bye { self.bye = bye }
        client?.close(code: CloseCode.goingAway.rawValue)
    }

    func stop() {
        isOver = true
        client?.close()
        if let missed { absences.letGo(name, missed) }
        missed = nil
    }

    var owner: String? { server.isEmpty ? nil : "the server \(server) at \(url)" }

    func reclaim() -> Bool {
        guard let reclaim = upstream.reclaim, !server.isEmpty else { return false }
        core.configuration.logger.log(
            .error,
            """
            the server \(server) at \(url) was given a room that it doesn't serve, and this one does: \
            it is asked to give it to this one; start all with the same --rooms and --json
            """, [.room: name])
        let (name, server) = (name, server)
        Task { await reclaim(name, server) }
        return true
    }

    /// The owner is said to be gone, whether or not its connections have ended. It is asked at once
    /// where it is now; a connection that works stays if that is where it was, as those who say so
    /// may only not have heard of it.
    func lost() {
        guard !isOver else { return }
        if client?.isConnected == true { return ask() }
        drop()
        connect()
    }

    private func drop() {
        // It may have stopped in the middle of anything, and wouldn't answer a goodbye.
        let old = client
        client = nil
        room?.disconnected()
        room?.backOff = .betweenServers
        bye = nil
        note("it is gone")
        old?.close()
    }

    func connected(_ client: WebSocketClient, subprotocol: String?) {
        guard client === self.client else { return }
        var isBack = absences.found(name, server)
        if let missed, absences.found(name, missed) { isBack = true }
        missed = nil
        if isBack { core.configuration.logger.info("upstream is back") }
        room?.connected()
    }

    func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
        guard client === self.client else { return }
        core.turnBegan()
        room?.receive(text)
    }

    func closed(_ client: WebSocketClient, code: UInt16, reason: String, error: String?) {
        guard client === self.client else { return }
        room?.disconnected()
        connectLater(error ?? bye?.title ?? "it ended the connection, \(code)")
    }

    private func connectLater(_ problem: String) {
        guard !isOver else { return }
        note(problem)
        later(nextDelay(after: bye.take())) { $0.connect() }
    }

    private func nextDelay(after bye: ServerFrame.Bye? = nil) -> Duration {
        // Without a room there is nothing to wait for: it stops this when it goes.
        room?.backOff.next(after: bye, using: &random) ?? .zero
    }

    private func later(_ delay: Duration, _ work: @escaping (SocketUplink) -> Void) {
        pause += 1
        let pause = pause
        core.schedule(after: delay) { [weak self] in
            if let self, !isOver, self.pause == pause { work(self) }
        }
    }

    private func note(_ problem: String) {
        if let missed, !missed.isSameText(as: server) { absences.letGo(name, missed) }
        missed = server
        guard absences.missed(name, server, problem) else { return }
        core.configuration.logger.log(.warning, "upstream is away: \(problem)", [.room: name])
    }
}

extension ServerLoopCore {
    fileprivate func uplink(of room: String) -> SocketUplink? {
        (rooms.rooms[ExactString(room)] as? MirroredRoom)?.uplink as? SocketUplink
    }

    /// Asks owners of rooms for a sign, a few each second and each in its turn, however many there
    /// are: by that it is known how far their rooms here are behind.
    func askOwners() {
        if unasked.isEmpty { unasked = Array(rooms.rooms.keys) }
        for name in unasked.suffix(Self.mostAsked) {
            (rooms.rooms[name] as? MirroredRoom)?.askForSign()
        }
        unasked.removeLast(min(Self.mostAsked, unasked.count))
    }

    private static let mostAsked = 16

    /// The server with the id is gone, which is the owner of some rooms.
    func upstreamEnded(_ server: String) {
        for (_, room) in rooms.rooms.sorted(by: { $0.key < $1.key }) {
            let uplink = (room as? MirroredRoom)?.uplink as? SocketUplink
            if let uplink, uplink.server.isSameText(as: server) { uplink.lost() }
        }
    }
}
