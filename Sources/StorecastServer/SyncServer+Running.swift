import Logging
@preconcurrency import StorecastPlatform
public import StorecastRoom
import StorecastWebSocket
import Synchronization

/// A server's start and its end, and what it has between them: loops, a journal, sockets.
extension SyncServer {
    /// Serves as all that a program does.
    ///
    /// ```swift
    /// await SyncServer(port: 9090, room: room).main()
    /// ```
    /// Returns when ``run(onListening:)`` does. If the server can't start, as when its port is
    /// taken, says why on standard error and ends the program with the status 1.
    ///
    /// - Parameter onListening: called with the server's URL when clients can connect; prints it if
    ///   nothing else is given.
    public func main(
        onListening: @Sendable (_ url: String) -> Void = { url in print("listening on \(url)") }
    ) async {
        do throws(ServerError) {
            try await run(onListening: onListening)
        } catch {
            let text = "Error: \(error)\n"
            _ = text.withCString { write(STDERR_FILENO, $0, text.utf8.count) }
            exit(1)
        }
    }

    /// Serves until SIGINT, SIGTERM or the task's cancellation, then says goodbye to everyone. On
    /// SIGHUP it does what ``reload()`` does, if there is anything to read again.
    ///
    /// ```swift
    /// try await server.run { url in print("listening on \(url)") }
    /// ```
    /// - Parameter onListening: called with the server's URL when clients can connect. What it
    ///   prints is written at once, also where standard output isn't a terminal.
    public func run(
        onListening: @Sendable (_ url: String) -> Void = { _ in }
    ) async throws(ServerError) {
        try await run(onRecovery: nil, onListening: onListening)
    }

    // `onRecovery` has no default, as a trailing closure would then be passed for it in one of the
    // language modes.

    /// Serves until SIGINT, SIGTERM or the task's cancellation, and tells how far rooms have come.
    ///
    /// - Parameters:
    ///   - onRecovery: called on a room's loop with every part that was read of its history; nil to
    ///     have logged what takes longer than a second.
    ///   - onListening: as in ``run(onListening:)``.
    public func run(
        onRecovery: (@Sendable (RoomProgress) -> Void)?,
        onListening: @Sendable (_ url: String) -> Void
    ) async throws(ServerError) {
        let url = try await start(onRecovery)
        let (signals, continuation) = AsyncStream<Int32>.makeStream()
        let isReloading =
            configuration.certificate != nil || configuration.authentication.reload != nil
            || configuration.audit != nil || configuration.rules != nil || onReload != nil
        let handled = isReloading ? [SIGHUP] : []
        await runningLoops().first?.handle([SIGINT, SIGTERM] + handled) { continuation.yield($0) }
        onListening(url)
        // Standard output is buffered unless it is a terminal.
        fflush(stdout)
        // Ends by a signal, or when the task is cancelled.
        for await signal in signals {
            if signal == SIGHUP {
                // What fails is logged.
                try? await reload()
                continue
            }
            configuration.logger.log(.info, "stopping", [.signal: Int(signal)])
            break
        }
        await stop()
    }

    /// Starts to serve, and logs where; returns the server's URL, `ws://host:port/`, or `wss://`
    /// with a certificate.
    public func start() async throws(ServerError) -> String {
        let url = try await start(nil)
        configuration.logger.log(.info, "listening", [.url: url])
        return url
    }

    /// As ``start()``, for the part of a server that has rooms.
    ///
    /// - Parameters:
    ///   - onRecovery: as in ``run(onRecovery:onListening:)``.
    ///   - reload: what its extensions do in place of ``reload()``.
    package func startAsPart(
        _ onRecovery: (@Sendable (RoomProgress) -> Void)?,
        reload: @escaping @Sendable () async throws -> Void
    ) async throws(ServerError) -> String {
        try await start(onRecovery, reload)
    }

    private func start(
        _ onRecovery: (@Sendable (RoomProgress) -> Void)?,
        _ reload: (@Sendable () async throws -> Void)? = nil
    ) async throws(ServerError) -> String {
        let isFirst = phase.withLock { phase in
            guard case .idle = phase else { return false }
            phase = .starting
            return true
        }
        guard isFirst else {
            throw ServerError(.alreadyStarted, "A server starts once; make another one.")
        }
        // First, as opening a journal may make a file, which nobody would need.
        try checkAddress()
        try configuration.authentication.prepare?()
        guard let part else { return try await serve(onRecovery, reload) }
        guard !part.cluster.entrance.isSecure || configuration.certificate != nil else {
            throw ServerError(
                .certificateUnusable,
                "Where the other servers are to come by wss:// needs a certificate: give the server "
                    + "one.")
        }
        try await part.cluster.begin(part.owner, of: self, onRecovery)
        do throws(ServerError) { return try await serve(nil, reload) } catch {
            await part.cluster.end()
            throw error
        }
    }

    private func serve(
        _ onRecovery: (@Sendable (RoomProgress) -> Void)?,
        _ reload: (@Sendable () async throws -> Void)?
    ) async throws(ServerError) -> String {
        let store = try await openJournal()
        configuration.audit?.reportTrouble { [logger = configuration.logger] problem in
            logger.error("\(problem)")
        }
        var loops: [ServerLoop] = []
        do throws(ServerError) {
            loops = try makeLoops()
            let port = try await listen(loops, store, onRecovery, reload)
            try await listenForOperations()
            let isWanted = phase.withLock { [loops] phase in
                guard case .starting = phase else { return false }
                phase = .running(loops, store)
                return true
            }
            guard isWanted else {
                throw ServerError(.notRunning, "The server was stopped while it started.")
            }
            warnOfExpiry()
            warnOfIdleRules()
            return
                "\(listener.certificate == nil ? "ws" : "wss")://\(listener.host.asURLHost):\(port)/"
        } catch {
            await shutDown(loops, store)
            throw error
        }
    }

    private func checkAddress() throws(ServerError) {
        do { try WebSocketServer.checkAddress(of: listener) } catch {
            throw ServerError(.cannotListen, "\(error)")
        }
    }

    private func openJournal() async throws(ServerError) -> any JournalStore {
        do throws(JournalError) {
            let store = try await configuration.journal.open()
            for report in store.reports { configuration.logger.error("\(report)") }
            return store
        } catch {
            switch error {
            case .damaged(let problem): throw ServerError(.journalUnreadable, problem)
            case .unavailable(let problem): throw ServerError(.journalUnavailable, problem)
            default: throw ServerError(.journalUnavailable, "The journal can't be opened: \(error)")
            }
        }
    }

    private func makeLoops() throws(ServerError) -> [ServerLoop] {
        do {
            return try (0..<loopCount).map { index in
                ServerLoop(try EventLoop(name: "storecast-\(index)"))
            }
        } catch {
            throw ServerError(.noResources, "The system gives no event loop: \(error)")
        }
    }

    private func listen(
        _ loops: [ServerLoop], _ store: any JournalStore,
        _ onRecovery: (@Sendable (RoomProgress) -> Void)?,
        _ reload: (@Sendable () async throws -> Void)?
    ) async throws(ServerError) -> Int {
        var (listener, configuration) = (listener, configuration)
        configuration.recovery = onRecovery
        configuration.reload = { [weak self] in try await self?.reload() }
        if let reload { configuration.reload = reload }
        for (index, loop) in loops.enumerated() {
            await loop.begin(configuration, store, index: index, peers: loops)
        }
        for loop in loops {
            listener.port = try await loop.listen(listener)
            listener.claimsPort = false
        }
        return listener.port
    }

    private func listenForOperations() async throws(ServerError) {
        guard let operations else { return }
        let loop = try OperationsLoop(configuration.metrics) { operations.metrics.text() }
        do throws(ServerError) {
            let url = try await loop.listen(operations.address)
            operationsLoop.withLock { $0 = (loop, url) }
        } catch {
            await loop.stop()
            throw error
        }
    }

    /// The URL of its ``OperationsAddress``, `http://host:port/`, while it runs; nil without one.
    public var operationsURL: String? { operationsLoop.withLock { $0?.url } }

    // MARK: Ending

    /// Takes no new clients, says goodbye to every client (`bye` with `going-away`, close code
    /// 1001), 200 each 50 ms, waits for them, has rooms write snapshots, and frees everything; the
    /// journal's files are closed then. Takes `SyncLimits.drainTimeout` at most. Clients come back
    /// at times that are spread over as many seconds as there are thousands of them, and two at
    /// least.
    ///
    /// In a cluster its open rooms go to others before that, as many as half of that time is enough
    /// for, and the part of it that had them ends after that: two and a half times as long in all.
    ///
    /// Returns when all of this is done, also if it was called before.
    public func stop() async {
        let last = phase.withLock { phase in
            let last = phase
            switch phase {
            case .idle, .starting: phase = .stopped
            case .running(let loops, _): phase = .stopping(loops, [])
            case .stopping, .stopped: break
            }
            return last
        }
        switch last {
        case .running(let loops, let store): await end(loops, store)
        case .stopping: await ended()
        case .idle, .starting, .stopped: break
        }
    }

    private func end(_ loops: [ServerLoop], _ store: any JournalStore) async {
        // First, so that nobody is sent here any more.
        configuration.metrics.stops()
        await part?.cluster.leave()
        // Nobody would answer who asks a loop that has ended.
        phase.withLock { phase in
            if case .stopping(_, let waiting) = phase { phase = .stopping([], waiting) }
        }
        await withTaskGroup { group in
            for loop in loops { group.addTask { await loop.stop() } }
        }
        await shutDown(loops, store)
        await part?.cluster.end()
        let last = phase.withLock { phase in
            defer { phase = .stopped }
            return phase
        }
        guard case .stopping(_, let waiting) = last else { return }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the server, which stops, has ended.
    private func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = phase.withLock { phase in
                guard case .stopping(let loops, let waiting) = phase else { return true }
                phase = .stopping(loops, waiting + [continuation])
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func shutDown(_ loops: [ServerLoop], _ store: any JournalStore) async {
        for loop in loops { await loop.release() }
        for loop in loops { await loop.loop.shutDown() }
        await store.close()
        await operationsLoop.withLock { $0.take() }?.loop.stop()
        await configuration.audit?.flush()
    }
}
