package import StorecastWebSocket
import StorecastWire

/// What is sent and received: messages, and who waits for them.
extension NATSConnection {
    func write(_ body: (inout [UInt8]) -> Void) { stream?.send(body) }

    func send(
        _ payload: [UInt8], to subject: String, reply: String?, _ headers: NATSHeaders
    ) throws(NATSError) {
        precondition(Self.isSubject(subject), "'\(subject)' isn't a subject of NATS.")
        // NATS would end the connection, on which everybody's requests are, and anybody may ask for
        // a room with a long name.
        guard subject.utf8.count + (reply?.utf8.count ?? 0) <= Self.longestSubjects else {
            throw .unavailable("A subject of \(subject.utf8.count) bytes is more than NATS takes.")
        }
        guard isConnected, let stream, let information else {
            guard case .connecting(let reason?) = status else {
                throw .unavailable("NATS isn't connected.")
            }
            throw .unavailable("NATS isn't connected: \(reason)")
        }
        guard stream.bufferedBytes < configuration.mostBufferedBytes else {
            throw .unavailable("NATS takes what is sent too slowly.")
        }
        var head: [UInt8] = []
        if !headers.isEmpty { headers.write(to: &head) }
        let count = head.count + payload.count
        guard count <= information.mostBytes else {
            throw .unavailable(
                "A message of \(count) bytes is more than NATS takes, \(information.mostBytes).")
        }
        write { bytes in
            bytes += (head.isEmpty ? "PUB " : "HPUB ").utf8
            bytes += subject.utf8
            if let reply {
                bytes.append(32)
                bytes += reply.utf8
            }
            bytes += (head.isEmpty ? " \(count)\r\n" : " \(head.count) \(count)\r\n").utf8
            bytes += head
            bytes += payload
            bytes += "\r\n".utf8
        }
    }

    /// How many bytes the subjects of a message and of its answer have at most: NATS takes 4,096 of
    /// a line, with what is beside them, if it isn't told otherwise.
    private static let longestSubjects = 4000

    /// Whether messages can be sent to it.
    static func isSubject(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 32 && $0 != 127 }
    }

    func announce(_ subscription: NATSSubscription) {
        let group = subscription.group.map { " \($0)" } ?? ""
        write { $0 += "SUB \(subscription.subject)\(group) \(subscription.number)\r\n".utf8 }
    }

    func end(_ subscription: NATSSubscription) {
        guard subscriptions.removeValue(forKey: subscription.number) != nil, isGreeted else {
            return
        }
        write { $0 += "UNSUB \(subscription.number)\r\n".utf8 }
    }

    // MARK: Receiving

    private func take(_ operation: NATSParser.Operation) throws(NATSError) {
        switch operation {
        case .info(let text): try take(text)
        case .message(let delivery): try take(delivery)
        case .ping: write { $0 += "PONG\r\n".utf8 }
        case .pong:
            owedPongs = 0
            complaint = nil
            if !isGreeted { greeted() }
        case .error(let text):
            complaint = text
            complained?(text)
            let error = NATSError.forbidden("NATS doesn't permit it: \(text).")
            if let subject = Self.subject(forbiddenBy: text, to: "publish to") {
                // Nobody is asked by such requests, and none of them is answered.
                fail(error) { $0.subject.isSameText(as: subject) }
            } else if let subject = Self.subject(forbiddenBy: text, to: "subscription to") {
                unheard[ExactString(subject)] = error
                if subject.isSameText(as: answers) { fail(error) { _ in true } }
            }
        }
    }

    /// The subject that the server complains of, if it is about that.
    private static func subject(forbiddenBy complaint: String, to what: String) -> String? {
        let parts = complaint.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].lowercased() == "permissions violation for \(what) "
        else { return nil }
        return String(parts[1])
    }

    private func fail(_ error: NATSError, _ isMeant: (Request) -> Bool) {
        for number in requests.filter({ isMeant($0.value) }).keys.sorted() {
            guard let request = requests.removeValue(forKey: number) else { continue }
            _ = request.answered(.failure(error))
        }
    }

    private func take(_ delivery: NATSParser.Delivery) throws(NATSError) {
        let message = NATSMessage(
            subject: delivery.subject, reply: delivery.reply,
            headers: try NATSHeaders(delivery.head), payload: Array(delivery.payload))
        guard delivery.subscription == Self.inboxNumber else {
            subscriptions[delivery.subscription]?.receive(message)
            return
        }
        guard let number = UInt64(delivery.subject.dropFirst(inbox.utf8.count + 1)),
            let request = requests[number]
        else { return }
        let isUnheard = message.headers.status == 503 && message.payload.isEmpty
        if request.answered(isUnheard ? .failure(.noResponders) : .success(message)), !isUnheard {
            requests[number]?.deadline = loop.now() + request.timeout
        } else {
            requests[number] = nil
        }
    }

    /// How exact the time limits of requests are.
    private static let tick: Duration = .milliseconds(100)

    func watchRequests() {
        guard requestTimer == nil else { return }
        requestTimer = loop.schedule(after: Self.tick) { [weak self] in
            guard let self else { return }
            requestTimer = nil
            endRequests()
            if !requests.isEmpty { watchRequests() }
        }
    }

    private func endRequests() {
        let now = loop.now()
        let late = requests.filter { $0.value.deadline <= now }.keys.sorted()
        let reason = complaint.map { " It says: \($0)." } ?? ""
        for number in late {
            guard let request = requests.removeValue(forKey: number) else { continue }
            _ = request.answered(.failure(.unanswered("NATS doesn't answer in time.\(reason)")))
        }
    }
}

extension NATSConnection: ByteStreamDelegate {
    package func connected(_ stream: ByteStream) {}

    package func received(_ stream: ByteStream, _ bytes: UnsafeRawBufferPointer) {
        do throws(NATSError) {
            var problem: NATSError?
            isAgreeing = false
            try parser.take(bytes) { operation in
                // What a callback does may have ended this connection.
                guard self.stream === stream, problem == nil else { return }
                do throws(NATSError) {
                    if isAgreeing { throw Self.notEncrypted }
                    try take(operation)
                } catch {
                    problem = error
                }
            }
            if let problem { throw problem }
            if isAgreeing, self.stream === stream, !parser.isEmpty { throw Self.notEncrypted }
        } catch {
            failed(error.description)
        }
    }

    private static let notEncrypted = NATSError.violation(
        "Something came before the encryption with NATS.")

    package func ended(_ stream: ByteStream, _ problem: WebSocketError) {
        failed(complaint.map { "NATS refuses: \($0)." } ?? problem.description)
    }
}
