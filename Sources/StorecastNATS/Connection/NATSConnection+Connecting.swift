import StorecastSync
import StorecastWebSocket

/// How it gets to a server, is let in, and goes to another.
extension NATSConnection {
    func connect() {
        if untried.isEmpty { untried = inOrder().reversed() }
        guard let server = untried.popLast() else { return }
        tried = server
        parser = NATSParser()
        information = nil
        complaint = nil
        unheard = [:]
        owedPongs = 0
        (isEncrypted, isAgreeing) = (false, false)
        stream = ByteStream(on: loop, to: server.host, port: server.port, delegate: self)
        timer = loop.schedule(after: configuration.connectTimeout) { [weak self] in
            self?.failed("\(server) doesn't answer as NATS does.")
        }
    }

    /// All servers that are known, in the order in which they are to be tried.
    ///
    /// The one that was tried last comes last: it may be a machine that is gone, which doesn't even
    /// refuse. Those that the servers tell of come behind those that were given, as it may be among
    /// them by another name.
    private func inOrder() -> [NATSConfiguration.Server] {
        let others = announced.filter { !configuration.servers.contains($0) }
        var all = configuration.servers.shuffled(using: &random) + others.shuffled(using: &random)
        if let place = all.firstIndex(where: { $0 == tried }) { all.append(all.remove(at: place)) }
        return all
    }

    /// The connection is of no use, or was none.
    func failed(_ problem: String) {
        guard status != .closed else { return }
        var wasLive = false
        if isConnected {
            wasLive = backOff.closed(at: loop.now()) || information?.isLeaving == true
            untried = []
        }
        disconnect(.unanswered(problem))
        set(.connecting(problem))
        // First each server once, then with pauses.
        let pause = wasLive || !untried.isEmpty ? .zero : backOff.next(using: &random)
        timer = loop.schedule(after: pause) { [weak self] in self?.connect() }
    }

    func disconnect(_ error: NATSError) {
        timer?.cancel()
        stream?.close()
        stream = nil
        isGreeted = false
        let failed = requests
        requests = [:]
        for request in failed.values { _ = request.answered(.failure(error)) }
    }

    /// The server has introduced itself, or has news.
    func take(_ text: UnsafeRawBufferPointer) throws(NATSError) {
        let isFirst = information == nil
        let new = try NATSServerInformation(text)
        information = new
        if isFirst { try greet(new) }
        // Anybody on the way may have written what comes before the encryption.
        if !isEncrypted || !isFirst { announced = new.addresses }
        if isFirst { return }
        if new.isLeaving, isConnected {
            // It takes nothing new, and ends the connection soon.
            failed("\(new.name) shuts down.")
        }
    }

    private func greet(_ server: NATSServerInformation) throws(NATSError) {
        if let problem = server.problem { throw .violation(problem) }
        let encrypts = configuration.tls || server.requiresTLS
        if encrypts {
            guard server.offersTLS else {
                throw .violation(
                    "\(tried?.description ?? server.name) doesn't encrypt, though it must.")
            }
            stream?.encrypt(trusting: configuration.certificateAuthorityFile)
            isEncrypted = true
            isAgreeing = true
        }
        let greeting = configuration.greeting(nonce: server.nonce, encrypts: encrypts)
        stream?.send { bytes in
            bytes += "CONNECT ".utf8
            bytes += greeting
            bytes += "\r\nPING\r\n".utf8
        }
    }

    func greeted() {
        guard let information else { return }
        isGreeted = true
        backOff.opened(at: loop.now())
        untried = []
        timer?.cancel()
        timer = loop.schedule(after: configuration.pingInterval) { [weak self] in self?.ping() }
        write { $0 += "SUB \(self.answers) \(Self.inboxNumber)\r\n".utf8 }
        for (_, subscription) in subscriptions.sorted(by: { $0.key < $1.key }) {
            announce(subscription)
        }
        set(.connected(information))
    }

    private func ping() {
        guard owedPongs < 2 else { return failed("NATS doesn't answer any more.") }
        owedPongs += 1
        write { $0 += "PING\r\n".utf8 }
        timer = loop.schedule(after: configuration.pingInterval) { [weak self] in self?.ping() }
    }
}
