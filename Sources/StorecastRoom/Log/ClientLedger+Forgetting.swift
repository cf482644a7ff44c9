import StorecastSync
import StorecastWire

extension ClientLedger {
    /// What stands for a client in the log of what is forgotten: the FNV-1a hash of its id in 16
    /// hexadecimal digits. An id has twice as many random bits, and so can't be worked out from it.
    package static func mark(of client: String) -> String {
        let digits = String(FNV1a(of: client).value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Whom to forget, so that no more is remembered than may be; nil if there is nobody.
    ///
    /// Whoever has taken up the most gives way first: all are cut down to one level, and of those
    /// above it the clients go that were seen the longest ago. So a crowd of clients from one
    /// address makes room for itself. A little more goes than must, so that it needn't be done for
    /// every client that comes. O(clients).
    ///
    /// - Parameters:
    ///   - isNeeded: whether the client is there, and so mustn't be forgotten. Its rejections may
    ///     be: it has been sent them.
    ///   - holder: whose share a client counts for: that of an identity, or of an address.
    func surplus(
        _ limits: SyncLimits, isNeeded: (String) -> Bool, holder: (String, Record) -> ExactString
    ) -> ForgetClients? {
        var forgotten = ForgetClients()
        if rejectionCount > limits.rejections {
            forgotten.rejections = Self.marks(
                of: records.filter { !$0.record.rejections.isEmpty }.map { client, record in
                    (client, holder(client, record), record.rejections.count)
                }, givingUp: rejectionCount - limits.rejections + limits.rejections / 64)
        }
        if count > limits.clients {
            forgotten.clients = Self.marks(
                of: records.filter { !isNeeded($0.client) }.map { client, record in
                    (client, holder(client, record), 1)
                }, givingUp: count - limits.clients + limits.clients / 64)
        }
        return forgotten.clients.isEmpty && forgotten.rejections.isEmpty ? nil : forgotten
    }

    /// Those of the candidates, the oldest first, that give up what they have until `surplus` is
    /// gone, such that the holders that had the most have about equally much left.
    private static func marks(
        of candidates: [(client: String, holder: ExactString, amount: Int)], givingUp surplus: Int
    ) -> [String] {
        var held: [ExactString: Int] = [:]
        for candidate in candidates { held[candidate.holder, default: 0] += candidate.amount }
        let level = level(held.values.sorted(by: >), givingUp: surplus)
        var (left, marks, others) = (surplus, [] as [String], candidates)
        for level in [level + 1, level] {
            others.removeAll { client, holder, amount in
                guard left > 0, marks.count < Self.most, let share = held[holder], share > level
                else { return false }
                held[holder] = share - amount
                left -= amount
                marks.append(mark(of: client))
                return true
            }
        }
        return marks
    }

    /// How many fit into an entry, which is bounded; the others' turn comes with the next batch.
    private static var most: Int { 1 << 16 }

    /// The level to which the largest amounts are cut for `surplus` to go; rounded down.
    private static func level(_ amounts: [Int], givingUp surplus: Int) -> Int {
        var total = 0
        for (place, amount) in amounts.enumerated() {
            total += amount
            let level = (total - surplus) / (place + 1)
            if total >= surplus, place + 1 == amounts.count || level >= amounts[place + 1] {
                return level
            }
        }
        return 0
    }
}

/// The clients that an entry of the log names by their marks.
struct ClientMarks {
    private var hashes: Set<UInt64> = []
    /// Those of marks as early versions wrote them: at most 13 digits of base 36.
    private var oldHashes: Set<UInt64> = []

    init(_ marks: [String] = []) {
        for mark in marks {
            if mark.utf8.count == 16 {
                if let hash = UInt64(mark, radix: 16) { hashes.insert(hash) }
            } else if let hash = UInt64(mark, radix: 36) {
                oldHashes.insert(hash)
            }
        }
    }

    var isEmpty: Bool { hashes.isEmpty && oldHashes.isEmpty }

    func contains(_ client: String) -> Bool {
        hashes.contains(FNV1a(of: client).value)
            || !oldHashes.isEmpty && oldHashes.contains(Self.oldHash(of: client))
    }

    private static func oldHash(of client: String) -> UInt64 {
        var hash = MixingHash(seed: 2)
        for byte in client.utf8 { hash.mix(UInt64(byte)) }
        return hash.finish()
    }
}
