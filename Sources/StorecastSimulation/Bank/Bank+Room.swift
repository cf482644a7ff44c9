import Storecast
import StorecastSync

extension Bank {
    static let total = Selection("total") { (bank: Bank) in bank.deposited }
    static let account = Selection("account") { (bank: Bank, name: String) in
        bank.accounts.first { $0.name == ExactString(name) }
    }
    static let mine = Selection("mine") { (bank: Bank, me: Identity) in
        bank.accounts.first { $0.name == ExactString(me.id) }
    }
    /// One's own balance; for clerks, those of all accounts.
    static let balances = Selection("balances") { (bank: Bank, viewer: Identity) in
        let name = ExactString(viewer.id)
        return bank.accounts.filter { $0.name == name || viewer.roles.contains("clerk") }
            .map { ExactString("\($0.name) \($0.balance)") }
    }
    /// By name.
    static let book = Selection("book") { (bank: Bank) in
        Dictionary(uniqueKeysWithValues: bank.accounts.map { ($0.name, $0.balance) })
    }
    static let signatures = Selection("signatures") { (bank: Bank) in bank.signatures }
    static let present = Selection("present") { (bank: Bank) in bank.presence.participants }
    /// What clerks may see at any time, and others as long as the bank has a round sum or little more.
    static let audit = Selection("audit") { (bank: Bank) in bank.deposited }
    static let everything = Selection("everything") { (bank: Bank) in bank }

    static let room = RoomDefinition(
        state: Bank(),
        actions: [
            Deposit.self, Transfer.self, Split.self, Seize.self, Sign.self, Whisper.self, Wrap.self,
        ],
        selections: [total, account, mine, balances, book, signatures, present, audit, everything],
        reducer: reduce
    )
    .lifecycle(grace: .seconds(3))
    .verifying { bank in bank.note }
    .validate(Transfer.self) { bank, transfer, _ in
        guard bank.balance(of: transfer.from) >= transfer.amount else {
            throw Rejection(.conflict, "There isn't enough on the account.")
        }
    }
    .allow(Seize.self, .roles("clerk"))
    .allow(everything, .roles("clerk"))
    .allow(audit) { bank, _, viewer in
        viewer.roles.contains("clerk") || bank.deposited % 1000 < 600
    }
    .allowAll(.open)
    .onOpen { store in store.middleware = [parts] }

    /// What a client shows of an account before the server has answered.
    @Sendable static func preview(_ name: String, _ account: inout Account?, _ action: any Action) {
        func change(by amount: Int, _ note: String) {
            if account == nil { account = Account(name: ExactString(name)) }
            account?.change(by: amount, note)
        }
        switch action {
        case let deposit as Deposit:
            if deposit.account == ExactString(name) { change(by: deposit.amount, deposit.note) }
        case let transfer as Transfer:
            if transfer.from == ExactString(name) {
                change(by: -transfer.amount, "to \(transfer.to)")
            }
            if transfer.to == ExactString(name) {
                change(by: transfer.amount, "from \(transfer.from)")
            }
        default: break
        }
    }

    /// What a client shows of the total before the server has answered.
    @Sendable static func previewTotal(_ total: inout Int, _ action: any Action) {
        switch action {
        case let deposit as Deposit: total += deposit.amount
        case let split as Split: total += split.amount
        default: break
        }
    }

    /// Middleware that takes splits apart and stops whispers.
    @Sendable private static func parts(
        _ dispatch: @escaping DispatchFunction, _ state: @escaping () -> Bank?
    ) -> (@escaping DispatchFunction) -> DispatchFunction {
        { next in
            { action in
                switch action {
                case let split as Split:
                    next(Deposit(account: split.account, amount: split.amount, note: "split"))
                    next(Transfer(from: split.account, to: split.first, amount: split.amount / 2))
                    next(
                        Transfer(
                            from: split.account, to: split.second,
                            amount: split.amount / 2 + split.surplus))
                case is Whisper: break
                default: next(action)
                }
            }
        }
    }
}
