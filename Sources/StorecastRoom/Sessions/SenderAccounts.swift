import StorecastWire

/// Lets through so much a second, and some at once after a pause. Time is in seconds.
struct TokenBucket {
    /// When all of it is there again.
    private var fullAt = -Double.infinity

    /// For how long `amount` has to wait; 0 if it is there. What is more than all of it waits until
    /// all is there.
    func wait(for amount: Double, at now: Double, _ perSecond: Double, burst: Double) -> Double {
        let debt = fullAt - now
        return debt <= 0 ? 0 : max(0, debt + amount / perSecond - burst)
    }

    /// Takes it, whether or not it is there.
    mutating func take(_ amount: Double, at now: Double, _ perSecond: Double) {
        fullAt = max(fullAt, now) + amount / perSecond
    }

    func isFull(at now: Double) -> Bool { fullAt <= now }
}

/// What has lately come from one sender: a connection, or all connections of one identity or one
/// address.
final class SenderAccount {
    fileprivate(set) var rate: SyncRate
    /// The limit that the rate is, as tables name it.
    let name: String
    // Unchecked, as what each message reads and writes. No access calls other code.
    @exclusivity(unchecked) private var messages = TokenBucket()
    @exclusivity(unchecked) private var bytes = TokenBucket()
    @exclusivity(unchecked) private var actions = TokenBucket()
    @exclusivity(unchecked) private var work = TokenBucket()
    /// How much work is forgiven in a second.
    private let workRate: Double
    fileprivate(set) var connections = 0

    init(_ rate: SyncRate, name: String, workRate: Double = .infinity) {
        self.rate = rate
        self.name = name
        self.workRate = workRate
    }

    /// Messages of so many bytes together have come; for how many seconds nothing more should.
    func note(messages count: Int, of size: Int, at now: Double) -> Double {
        messages.take(Double(count), at: now, rate.messages)
        bytes.take(Double(size), at: now, rate.bytes)
        return max(
            messages.wait(for: 0, at: now, rate.messages, burst: rate.burst),
            bytes.wait(for: 0, at: now, rate.bytes, burst: rate.burst))
    }

    /// For how many seconds an action has to wait.
    func waitForAction(at now: Double) -> Double {
        actions.wait(for: 1, at: now, rate.actions, burst: rate.burst)
    }

    func takeAction(at now: Double) { actions.take(1, at: now, rate.actions) }

    /// Messages have made so much work.
    func note(work amount: Int, at now: Double) { work.take(Double(amount), at: now, workRate) }

    /// Whether they have made little lately: as much as is forgiven in a sixteenth of a second.
    func isLight(at now: Double) -> Bool {
        work.wait(for: 0, at: now, workRate, burst: 1.0 / 16) == 0
    }

    fileprivate func isForgettable(at now: Double) -> Bool {
        connections == 0 && messages.isFull(at: now) && bytes.isFull(at: now)
            && actions.isFull(at: now) && work.isFull(at: now)
    }
}

/// The accounts of a loop's identities and addresses, as long as somebody is connected or has sent
/// more than was its due.
package final class SenderAccounts {
    /// By whom connections are counted together.
    enum Sender: Hashable {
        case address(ExactString)
        case identity(ExactString)
    }

    private var limits: SyncLimits
    private var accounts: [Sender: SenderAccount] = [:]
    /// When the table is looked through for those that may be forgotten: amortised, each is looked
    /// at twice.
    private var sweepAt = 1024

    init(_ limits: SyncLimits) { self.limits = limits }

    /// The rates hold at once, also for those who are there.
    func set(_ limits: SyncLimits, _ sessions: some Sequence<ServerSession>) {
        self.limits = limits
        for (sender, account) in accounts { account.rate = bound(sender).rate }
        for session in sessions where !session.isBoundElsewhere {
            session.accounts[0].rate = limits.connectionRate
        }
    }

    /// How many are known.
    package var count: Int { accounts.count }

    /// An account of a connection alone.
    func own() -> SenderAccount { SenderAccount(limits.connectionRate, name: "connection-rate") }

    /// Of one whose bounds are kept elsewhere.
    static func unbounded() -> SenderAccount { SenderAccount(.unlimited, name: "") }

    /// Counts one connection more; nil if the sender has as many as it may.
    func enter(_ sender: Sender, at now: Double) -> SenderAccount? {
        let (most, rate, name) = bound(sender)
        // As of two connections; who makes more isn't refused it.
        let workRate = Double(2 * 4 * limits.turnWorkPerConnection)
        if accounts.count >= sweepAt {
            accounts = accounts.filter { !$0.value.isForgettable(at: now) }
            sweepAt = max(1024, accounts.count * 2)
        }
        let account = accounts[sender] ?? SenderAccount(rate, name: name, workRate: workRate)
        guard account.connections < most else { return nil }
        accounts[sender] = account
        account.connections += 1
        return account
    }

    private func bound(_ sender: Sender) -> (connections: Int, rate: SyncRate, name: String) {
        switch sender {
        case .address: (limits.connectionsPerAddress, limits.addressRate, "address-rate")
        case .identity: (limits.connectionsPerIdentity, limits.identityRate, "identity-rate")
        }
    }

    func leave(_ sender: Sender, at now: Double) {
        guard let account = accounts[sender] else { return }
        account.connections -= 1
        if account.isForgettable(at: now) { accounts[sender] = nil }
    }
}
