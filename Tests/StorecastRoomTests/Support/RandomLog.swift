@testable import StorecastRoom

/// A log as a bad day could have made it: several clients, entries that come twice, rejections, and
/// clients that are forgotten and come back.
struct RandomLog {
    /// Small enough that all of them are reached.
    static var limits: SyncLimits {
        var limits = SyncLimits()
        limits.window = 3
        return limits
    }

    /// A shop that refuses to have more than ten of coffee, and no text that says no.
    static var room: RoomDefinition<Shop> {
        Shop.room
            .validate(AddCoffee.self) { shop, add, _ in
                guard shop.coffee + add.by <= 10 else {
                    throw Rejection(.conflict, "Enough.", detail: "\(shop.coffee) is a lot.")
                }
            }
            .validate(Write.self) { _, write, _ in
                if write.text == "no" { throw Rejection(.invalid, "No.") }
            }
    }

    private var random: SeededGenerator
    private var lastSeq: [Int: UInt64] = [:]
    private var version: UInt64 = 0
    private var forgettings: UInt64 = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    static func records(_ count: Int, seed: UInt64) throws -> [JournalRecord] {
        var log = RandomLog(seed: seed)
        return try (0..<count).map { _ in try log.next() }
    }

    private mutating func next() throws -> JournalRecord {
        if random.below(10) == 0 { return try forgetting() }
        let client = random.below(7)
        var seq = lastSeq[client, default: 0] + 1
        if seq > 1, random.below(5) == 0 { seq -= 1 }
        lastSeq[client] = seq
        // Too high now and then, as not every entry is reduced; some are made long ago.
        version += 1
        let base = random.below(4) == 0 ? UInt64(random.below(Int(version))) : version
        let rejection =
            random.below(8) == 0
            ? Rejection(.forbidden, "Not you.", detail: random.below(2) == 0 ? nil : "\(seq)") : nil
        return try JournalRecord(
            JournalEntry(
                client: "client-\(client)", seq: seq, base: base,
                settled: UInt64(random.below(Int(seq))),
                sender: Identity("user-\(client % 3)", roles: client == 0 ? ["admin"] : []),
                time: Timestamp(secondsSince1970: Double(version) / 8), seed: random.next(),
                actions: rejection == nil ? actions() : [], rejection: rejection))
    }

    /// Two clients are forgotten, and what was rejected of another.
    private mutating func forgetting() throws -> JournalRecord {
        forgettings += 1
        version += 1
        let marks = (0..<3).map { _ in
            ClientLedger.mark(of: "client-\(random.below(7))")
        }
        return try JournalRecord(
            JournalEntry(
                client: "server", seq: forgettings, base: version, settled: 0, sender: .server,
                time: Timestamp(secondsSince1970: Double(version) / 8), seed: 0,
                actions: [
                    ForgetClients(clients: Array(marks.prefix(2)), rejections: [marks[2]])
                ]))
    }

    private mutating func actions() -> [any SyncAction] {
        switch random.below(8) {
        case 0: [AddCoffee(by: random.below(5))]
        case 1: [Write(text: random.below(2) == 0 ? "no" : "yes \"\u{1F600}\"")]
        case 2: [Sign(text: "signed"), AddTea(by: 1)]
        case 3: [AddTea(by: 2), AddCoffee(by: 3)]
        case 4: []
        default: [AddTea(by: random.below(9))]
        }
    }
}
