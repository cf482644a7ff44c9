import Logging
import StorecastRoom
import StorecastSync
import StorecastWebSocket
import StorecastWire

/// What is remembered of a connection for the line that is logged at its end.
struct ConnectionRecord {
    let began: Duration
    var messagesIn = 0
    var bytesIn = 0
    var messagesOut = 0
    var bytesOut = 0
    /// What the client shows to say who it is, which may be in the reason of a refusal.
    var token: String?
    /// Why the server ends it, if it does.
    var ending: (code: CloseCode, reason: String)?

    init(at now: Duration) { began = now }

    /// Returns their bytes.
    mutating func countSent(_ messages: [ServerMessage]) -> Int {
        messagesOut += messages.count
        var bytes = 0
        for message in messages { bytes += message.frameSize }
        bytesOut += bytes
        return bytes
    }
}

extension SessionLink {
    func note(_ note: SessionNote) {
        switch note {
        case .entered: record.token = nil
        case .selectionRefused: break
        case .ending(let code, let title):
            var credentials = credentials
            credentials.token = record.token
            record.ending = (code, credentials.redacting(title))
        }
        core.audit(note, of: self)
    }
}

// MARK: The end of a connection

extension ServerLoopCore {
    /// How many ends of connections are logged in a second.
    static let mostEnds = 100
    /// How much is logged of what others chose, in bytes.
    private static let longest = 256

    /// Logs what became of a connection.
    ///
    /// - Parameters:
    ///   - code: what the connection was closed with, unless the session has ended it.
    ///   - reason: what the client said of that.
    func logEnd(of link: any SessionLink, _ code: UInt16, _ reason: String) {
        guard configuration.connectionLogger.logLevel <= .info else { return }
        guard ends.take(at: now) else {
            if ends.leftOut == 1 { logLeftOut() }
            return
        }
        let (record, session) = (link.record, link.session)
        let word = record.ending?.code.word ?? CloseCode(rawValue: code).word
        let milliseconds = Int((now - record.began) / .milliseconds(1))
        let outcomes = session?.outcomes ?? (taken: 0, rejected: 0)
        configuration.connectionLogger.log(
            .info, "connection ended",
            [
                .connection: link.id, .room: link.credentials.path.excerpt(Self.longest),
                .identity: (session?.identity.id ?? "").excerpt(Self.longest),
                .address: link.credentials.address,
                .seconds: Double(milliseconds) / 1000,
                .messagesIn: record.messagesIn, .bytesIn: record.bytesIn,
                .messagesOut: record.messagesOut, .bytesOut: record.bytesOut,
                .taken: outcomes.taken, .rejected: outcomes.rejected, .code: word,
                .reason: (record.ending?.reason ?? reason).excerpt(Self.longest),
            ])
    }

    /// Says a second later how many lines were left out until then.
    private func logLeftOut() {
        schedule(after: .seconds(1)) { [weak self] in
            guard let self else { return }
            configuration.connectionLogger.log(
                .info, "more connections ended", [.leftOut: ends.takeLeftOut()])
        }
    }
}

// MARK: Metrics

/// What went through all connections of a loop's rooms.
struct Traffic {
    var messagesIn = 0
    var bytesIn = 0
    var messagesOut = 0
    var bytesOut = 0
    /// Ended connections, by the word of their code.
    private(set) var ended: [String: Int] = [:]
    /// How often a limit of the sockets was reached.
    var reached: [String: Int] = [:]

    /// Codes that clients make up are one.
    mutating func noteEnd(_ code: CloseCode) {
        let isKnown = CloseCode.all.contains(code)
        let isLoss = code.rawValue == 1005 || code.rawValue == 1006
        ended[isKnown ? code.word : isLoss ? "lost" : "other", default: 0] += 1
    }
}

extension ServerLoopCore {
    /// What the loop has counted and has. O(rooms), and each ten seconds O(connections).
    func report() -> LoopReport {
        var report = LoopReport()
        let counts = rooms.flushes.counts
        let plain: KeyValuePairs<ServerMetric, Int> = [
            .messagesIn: traffic.messagesIn, .messagesOut: traffic.messagesOut,
            .bytesIn: traffic.bytesIn, .bytesOut: traffic.bytesOut,
            .conflations: counts.conflations, .entries: counts.appended.entries,
            .appendFailures: counts.appended.failures, .replaced: counts.appended.replaced,
            .left: counts.left,
        ]
        for (metric, count) in plain { report.counts[MetricKey(metric: metric)] = count }
        let labelled: KeyValuePairs<ServerMetric, [String: Int]> = [
            .ended: traffic.ended, .deferred: counts.deferred,
            .limits: counts.limits.merging(traffic.reached, uniquingKeysWith: +),
            .snapshots: ["written": counts.snapshots.written, "failed": counts.snapshots.failed],
        ]
        for (metric, counts) in labelled {
            for (label, count) in counts {
                report.counts[MetricKey(metric: metric, labels: [label])] = count
            }
        }
        for (action, count) in counts.actions {
            let key = MetricKey(metric: .actions, labels: [action.type, action.outcome])
            report.counts[key] = count
        }
        report.gauges = rooms.gauges
        report.gauges.outgoing = unsent()
        report.freeBytes = journal.freeBytes
        // All loops have the same.
        if index == 0, let link = journal.link {
            report.link = link
            report.counts[MetricKey(metric: .natsReconnects)] = link.reconnects
        }
        return report
    }
}

// MARK: The audit log

extension ServerLoopCore {
    /// Notes who came in, or was refused.
    func audit(_ note: SessionNote, of link: any SessionLink) {
        guard let audit = configuration.audit else { return }
        var line: AuditLine
        switch note {
        case .entered:
            line = AuditLine(.entry, at: timeOfDay)
            line.add(outcome: nil)
        case .selectionRefused(let selection, let rejection):
            line = AuditLine(.selection, at: timeOfDay)
            line.add(outcome: (rejection.code.description, rejection.title))
            line.add(.selection, selection)
        case .ending(let code, _):
            guard let event = AuditLine.Event(refusing: code) else { return }
            line = AuditLine(event, at: timeOfDay)
            line.add(outcome: (code.word, link.record.ending?.reason ?? ""))
        }
        line.add(.room, link.credentials.path)
        if let session = link.session { line.add(session.identity, client: session.client) }
        line.add(.address, link.credentials.address)
        line.add(.connection, link.id)
        audit.note(line)
    }

    /// Notes what became of an action, whoever dispatched it.
    func audit(
        _ entry: JournalEntry, _ rejection: Rejection?, _ session: ServerSession?,
        of room: String, at version: UInt64
    ) {
        guard let audit = configuration.audit else { return }
        var line = AuditLine(.action, at: timeOfDay)
        let audited = entry.actions.first as? any AuditedAction
        line.add(
            outcome: rejection.map { ($0.code.description, $0.title) }
                ?? audited?.auditProblem.map { ("failed", $0) })
        line.add(.room, room)
        line.add(entry.sender, client: entry.client)
        if let link = session?.link.flatMap({ links[$0.id] }) {
            line.add(.address, link.credentials.address)
            line.add(.connection, link.id)
        }
        let types = entry.actions.map { type(of: $0).wireName }
        let name = entry.refused?.type ?? types.joined(separator: " ")
        if !name.isEmpty { line.add(.type, name) }
        line.add(.version, version)
        if let action = audited {
            if !action.auditTarget.isEmpty { line.add(.target, action.auditTarget) }
            if !action.auditReason.isEmpty { line.add(.reason, action.auditReason) }
        }
        audit.note(line)
    }
}

extension AuditLine.Event {
    /// What is refused with a close code; nil if it isn't about who somebody is.
    fileprivate init?(refusing code: CloseCode) {
        switch code {
        case .unauthenticated, .expired, .revoked: self = .token
        case .forbidden, .noRoom, .full: self = .entry
        case .kicked: self = .kick
        default: return nil
        }
    }
}
