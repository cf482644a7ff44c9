import StorecastWebSocket
import TestSupport

@testable import StorecastNATS

/// A connection and its loop, for tests.
actor NATSClient {
    private let loop: EventLoop
    private var connection: NATSConnection?
    private weak var remembered: NATSConnection?
    private var subscriptions: [NATSSubscription] = []
    /// What it became that no test has waited for yet.
    private var statuses: [String] = []
    private(set) var complaints: [String] = []
    /// Why it wasn't connected, each time.
    private(set) var reasons: [String] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ configuration: NATSConfiguration) async throws {
        loop = try EventLoop(name: "nats")
        connect(configuration)
    }

    /// Without limits on time that a test would wait for.
    init(
        _ addresses: String..., change: (inout NATSConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = try NATSConfiguration(addresses.joined(separator: ","))
        change(&configuration)
        try await self.init(configuration)
    }

    private func connect(_ configuration: NATSConfiguration) {
        let connection = NATSConnection(on: loop, configuration)
        self.connection = connection
        remembered = connection
        connection.statusChanged = { [unowned self] status in
            let text =
                switch status {
                case .connecting(let reason): "\(Self.refusal)\(reason ?? "")"
                case .connected(let server): "connected to \(server.name)"
                case .closed: "closed"
                }
            assumeIsolated { client in
                client.statuses.append(text)
                if text.hasPrefix(Self.refusal) {
                    client.reasons.append(String(text.dropFirst(Self.refusal.count)))
                }
            }
        }
        connection.complained = { [unowned self] complaint in
            assumeIsolated { $0.complaints.append(complaint) }
        }
    }

    private static let refusal = "connecting: "

    /// Waits until it is connected, and says to which server.
    func connected() async throws -> String { try await next("connected to ") }

    /// Waits for the next reason why it isn't connected.
    func refused() async throws -> String { try await next(Self.refusal) }

    private func next(_ kind: String) async throws -> String {
        var found: String?
        _ = await eventually {
            while found == nil, !statuses.isEmpty {
                let status = statuses.removeFirst()
                if status.hasPrefix(kind) { found = String(status.dropFirst(kind.count)) }
            }
            return found != nil
        }
        guard let found else { throw TooLate(description: "It doesn't become \(kind).") }
        return found
    }

    var mostBytes: Int? { connection?.mostBytes }

    /// The servers that it was told of.
    var announced: [NATSConfiguration.Server] { connection?.announced ?? [] }

    func refusal(ofListeningTo subject: String) -> NATSError? {
        connection?.refusal(ofListeningTo: subject)
    }

    func publish(
        _ payload: String, to subject: String, headers: NATSHeaders = NATSHeaders()
    ) throws {
        try connection?.publish(Array(payload.utf8), to: subject, headers: headers)
    }

    func request(
        _ subject: String, _ payload: String = "", headers: NATSHeaders = NATSHeaders(),
        timeout: Duration = .seconds(60)
    ) async throws -> NATSMessage {
        try await withCheckedThrowingContinuation { continuation in
            connection?.request(
                subject, Array(payload.utf8), headers: headers, timeout: timeout
            ) { continuation.resume(with: $0) }
        }
    }

    /// As many answers as there are until one is empty.
    func requestMany(_ subject: String, _ payload: String) async -> [Result<String, NATSError>] {
        await withCheckedContinuation { continuation in
            var answers: [Result<String, NATSError>] = []
            connection?.requestMany(subject, Array(payload.utf8), timeout: .seconds(60)) { answer in
                answers.append(answer.map { String(decoding: $0.payload, as: UTF8.self) })
                if case .success(let message) = answer, !message.payload.isEmpty { return true }
                continuation.resume(returning: answers)
                return false
            }
        }
    }

    func subscribe(_ subject: String, group: String? = nil) -> AsyncStream<NATSMessage> {
        let (stream, continuation) = AsyncStream<NATSMessage>.makeStream()
        let subscription = connection?.subscribe(subject, group: group) { continuation.yield($0) }
        subscription.map { subscriptions.append($0) }
        return stream
    }

    /// Answers each message with itself, so many times, and then with nothing if it is many.
    func echo(_ subject: String, times: Int = 1) {
        guard let connection else { return }
        let subscription = connection.subscribe(subject) { [unowned connection] message in
            guard let reply = message.reply else { return }
            for number in 0..<(times == 1 ? 1 : times + 1) {
                try? connection.publish(
                    number < times ? message.payload : [], to: reply, headers: message.headers)
            }
        }
        subscriptions.append(subscription)
    }

    /// Answers the messages of a subject with these texts, one after the other, from when this
    /// returns on.
    func answer(_ subject: String, with texts: [String]) async {
        guard let connection else { return }
        var rest = texts[...]
        let subscription = connection.subscribe(subject) { [unowned connection] message in
            guard let reply = message.reply, let text = rest.popFirst() else { return }
            try? connection.publish(Array(text.utf8), to: reply)
        }
        subscriptions.append(subscription)
        // The server knows of it when it answers this.
        _ = try? await request("nobody")
    }

    /// Answers each message with itself, again and again for so long, and then with nothing.
    func echo(_ subject: String, for time: Duration) {
        guard let connection else { return }
        let loop = loop
        let subscription = connection.subscribe(subject) { [weak connection] message in
            guard let reply = message.reply else { return }
            let end = loop.now() + time
            func answer() {
                let isLast = loop.now() >= end
                try? connection?.publish(isLast ? [] : message.payload, to: reply)
                if !isLast { loop.schedule(after: .milliseconds(10), answer) }
            }
            answer()
        }
        subscriptions.append(subscription)
    }

    /// Asks, and takes answers until one is empty; if it gives up before, returns how long it
    /// hasn't heard anything by then.
    func silenceBeforeGivingUp(on subject: String, timeout: Duration) async -> Duration? {
        let loop = loop
        return await withCheckedContinuation { continuation in
            var last = loop.now()
            connection?.requestMany(subject, Array("x".utf8), timeout: timeout) { answer in
                guard case .success(let message) = answer else {
                    continuation.resume(returning: loop.now() - last)
                    return false
                }
                last = loop.now()
                if !message.payload.isEmpty { return true }
                continuation.resume(returning: nil)
                return false
            }
        }
    }

    func cancelSubscriptions() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
    }

    /// Closes it; whether nothing is left of it.
    func close() -> Bool {
        connection?.close()
        (connection, subscriptions) = (nil, [])
        return remembered == nil
    }

    nonisolated func end() async {
        _ = await close()
        await loop.shutDown()
    }
}
