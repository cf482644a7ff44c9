import Storecast
import StorecastSync

/// The state of the room that the package's own simulations run: a bank, as errors show in money.
struct Bank: Codable, Equatable, Sendable {
    struct Account: Codable, Equatable, Sendable {
        var name: ExactString
        var balance = 0
        /// The newest entries last.
        var entries: [ExactString] = []

        mutating func change(by amount: Int, _ note: String) {
            balance += amount
            entries.append(ExactString(note))
            if entries.count > 30 { entries.removeFirst() }
        }
    }

    /// In the order of their names.
    var accounts: [Account] = []
    /// What was deposited and not seized.
    var deposited = 0
    /// The guest book: text, sender, time and a random number of each signature.
    var signatures: [ExactString] = []
    /// Who is present.
    var presence = Presence()

    /// Nested notes, which clients nest too deeply to be read.
    var note: Note?

    final class Note: Codable, Equatable, Sendable {
        let inner: Note?

        init(around inner: Note?) { self.inner = inner }

        static func == (left: Note, right: Note) -> Bool { left.inner == right.inner }
    }

    /// Changes an account; opens it if there is none.
    mutating func change(_ name: ExactString, by amount: Int, _ note: String) {
        let place = accounts.firstIndex { $0.name >= name } ?? accounts.count
        if place == accounts.count || accounts[place].name != name {
            accounts.insert(Account(name: name), at: place)
        }
        accounts[place].change(by: amount, note)
    }

    func balance(of name: ExactString) -> Int {
        accounts.first { $0.name == name }?.balance ?? 0
    }

    @Sendable static func reduce(_ bank: inout Bank, _ action: any Action) {
        bank.presence.reduce(action)
        switch action {
        case let deposit as Deposit:
            bank.change(deposit.account, by: deposit.amount, deposit.note)
            bank.deposited += deposit.amount
        case let transfer as Transfer:
            bank.change(transfer.from, by: -transfer.amount, "to \(transfer.to)")
            bank.change(transfer.to, by: transfer.amount, "from \(transfer.from)")
        case let seizure as Seize:
            bank.deposited -= bank.balance(of: seizure.account)
            bank.accounts.removeAll { $0.name == seizure.account }
        case let sign as Sign:
            var random = sign.stamp.random
            let signature =
                "\(sign.text) \(sign.stamp.id.prefix(6)) \(sign.stamp.sender.id) "
                + "\(sign.stamp.time.secondsSince1970) \(random.below(1000))"
            bank.signatures.append(ExactString(signature))
            if bank.signatures.count > 30 { bank.signatures.removeFirst() }
        case let wrap as Wrap:
            if wrap.times == 0 { bank.note = nil }
            for _ in 0..<wrap.times { bank.note = Note(around: bank.note) }
        default: break
        }
    }
}

struct Deposit: SyncAction {
    var account: ExactString
    var amount: Int
    var note: String
}

/// Rejected where there isn't enough on the account.
struct Transfer: SyncAction {
    var from: ExactString
    var to: ExactString
    var amount: Int
}

/// Middleware turns it into a deposit and two transfers, which are reduced together or not at all.
struct Split: SyncAction {
    var account: ExactString
    var amount: Int
    var first: ExactString
    var second: ExactString
    /// Transferred beyond the deposit, so that the second transfer may be rejected.
    var surplus: Int
}

/// Empties an account; only a clerk may.
struct Seize: SyncAction {
    var account: ExactString
}

struct Sign: Stamped {
    var text: String
    var stamp = Stamp()
}

/// Nests the note in so many others; 0 removes it.
struct Wrap: SyncAction {
    var times: Int
}

/// Middleware doesn't pass it on.
struct Whisper: SyncAction {
    var text: String
}
