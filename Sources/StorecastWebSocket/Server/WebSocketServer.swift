import CLibWebSockets
import Glibc

/// A WebSocket server on one event loop. Belongs to the loop's thread.
///
/// The server keeps its delegate weakly, and itself alive until `close()` is complete or the loop
/// shuts down.
package final class WebSocketServer {
    /// The port that it listens on.
    package let port: Int
    package let configuration: WebSocketServerConfiguration

    let core: LoopCore
    let closeQueue: DeadlineQueue
    weak var delegate: (any WebSocketServerDelegate)?
    private let library: LibWebSockets
    private let handshakes: DeadlineQueue
    private let answers: DeadlineQueue
    let heartbeat: Heartbeat
    private var listener: ListeningSocket?
    private var population = 0
    private var onClosed: [() -> Void] = []

    /// Listens; on the loop's thread.
    ///
    /// - Throws: `WebSocketError` if the address can't be had or libwebsockets doesn't start.
    package init(
        on loop: EventLoop, configuration: WebSocketServerConfiguration,
        delegate: any WebSocketServerDelegate
    ) throws(WebSocketError) {
        core = loop.core
        library = try core.libWebSockets()
        self.configuration = configuration
        self.delegate = delegate
        handshakes = DeadlineQueue(on: core, delay: configuration.handshakeTimeout) { connection in
            if connection.phase == .handshaking { connection.kill() }
        }
        answers = DeadlineQueue(on: core, delay: configuration.answerTimeout) { $0.kill() }
        closeQueue = DeadlineQueue(on: core, delay: configuration.closeTimeout) { $0.kill() }
        heartbeat = Heartbeat(
            on: core, interval: configuration.pingInterval, timeout: configuration.deadPeerTimeout,
            slots: 16)
        var accepted: (Int32) -> Void = { _ in }
        let socket = try ListeningSocket(on: core, configuration) { accepted($0) }
        listener = socket
        port = socket.port
        accepted = { [unowned self] in adopt($0) }
        core.residents[ObjectIdentifier(self)] = self
    }

    /// Throws as `init` would if the address can't be had now. From any thread.
    package static func checkAddress(
        of configuration: WebSocketServerConfiguration
    ) throws(WebSocketError) {
        try ListeningSocket.checkAddress(of: configuration)
    }

    /// Takes no new connections; those that are open stay.
    package func stopAccepting() {
        listener?.close()
        listener = nil
    }

    /// Stops accepting and closes every connection with a close handshake (1001, going away).
    ///
    /// - Parameter onClosed: called on the loop when the last connection is gone.
    package func close(
        code: UInt16 = 1001, reason: String = "", onClosed: @escaping () -> Void = {}
    ) {
        stopAccepting()
        self.onClosed.append(onClosed)
        for case let connection as WebSocketConnection in core.sockets.values
        where connection.owner === self {
            connection.close(code: code, reason: reason)
        }
        finishIfEmpty()
    }

    private func adopt(_ descriptor: Int32) {
        if population >= configuration.maxConnections {
            Self.refuse(descriptor)
            return
        }
        var one: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        let connection = WebSocketConnection(
            core: core, handshake: .server(self), maxMessageBytes: configuration.maxMessageBytes)
        guard connection.startReading(descriptor) else { return }
        population += 1
        handshakes.add(connection)
    }

    /// Over the limit: a short answer that a socket which is still empty always takes.
    private static func refuse(_ descriptor: Int32) {
        let answer = HTTPAnswer(
            status: 503, "Too many connections; try again later.",
            headers: [("Retry-After", "5")])
        _ = answer.bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        Glibc.close(descriptor)
    }

    private func finishIfEmpty() {
        guard listener == nil, population == 0, !onClosed.isEmpty else { return }
        cancelTimers()
        core.residents[ObjectIdentifier(self)] = nil
        for action in onClosed.take() { action() }
    }

    private func cancelTimers() {
        handshakes.cancel()
        answers.cancel()
        closeQueue.cancel()
        heartbeat.cancel()
    }
}

extension WebSocketServer: LoopResident {
    func loopStops() {
        stopAccepting()
        for connection in heartbeat.connections { connection.leave() }
        cancelTimers()
    }
}

extension WebSocketServer: HandshakeServer {
    func confirmUpgrade(_ connection: WebSocketConnection, _ wsi: OpaquePointer) -> HTTPAnswer? {
        let headers = LibWebSocketsHeaders(wsi: wsi)
        if let problem = UpgradeRules.problem(headers) { return problem }
        let request = UpgradeRequest(wsi, extraHeaders: configuration.extraHeaders)
        if let problem = UpgradeRules.problem(request) { return problem }
        guard let delegate else { return HTTPAnswer(status: 503, "The server is closing.") }
        switch delegate.accept(request) {
        case .refuse(let status, let reason): return HTTPAnswer(status: status, reason)
        case .accept(let subprotocol):
            if let problem = UpgradeRules.problem(choice: subprotocol, of: request.subprotocols) {
                return problem
            }
            if let subprotocol { library.offer(subprotocol: subprotocol) }
            connection.subprotocol = subprotocol
            connection.request = request
            return nil
        }
    }

    func answer(_ connection: WebSocketConnection, _ wsi: OpaquePointer) -> HTTPAnswer {
        let request = UpgradeRequest(wsi, extraHeaders: configuration.extraHeaders)
        var answer =
            UpgradeRules.problem(request) ?? delegate?.respond(to: request)
            ?? UpgradeRules.upgradeRequired
        if request.method == "HEAD" { answer.sendsBody = false }
        return answer
    }

    func answering(_ connection: WebSocketConnection) { answers.add(connection) }
}

extension WebSocketServer: WebSocketConnectionOwner {
    func opened(_ connection: WebSocketConnection) {
        heartbeat.add(connection)
        guard let request = connection.request.take(), let delegate else {
            connection.close(code: 1001)
            return
        }
        delegate.opened(connection, request)
        // It came while the server was closing.
        if !onClosed.isEmpty { connection.close(code: 1001) }
    }

    func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer) {
        delegate?.received(connection, text: text)
    }

    func writable(_ connection: WebSocketConnection) { delegate?.writable(connection) }

    func closed(_ connection: WebSocketConnection, _ frame: CloseFrame, error: String?) {
        heartbeat.remove(connection)
        delegate?.closed(connection, code: frame.code, reason: frame.reason)
    }

    func vanished(_ connection: WebSocketConnection) {
        population -= 1
        finishIfEmpty()
    }
}
