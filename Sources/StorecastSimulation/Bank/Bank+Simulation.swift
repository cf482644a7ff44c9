import StorecastSync

extension SimulatedRoom where State == Bank {
    /// The room that `Tests/Simulate` runs.
    static var bank: Self { bank(of: "bob", and: "eve") }

    /// The same with two users whose names are equal by Swift's `String ==`.
    static var bankOfLookAlikes: Self {
        bank(of: "\u{e9}ve", and: "e\u{301}ve").mirroring(Bank.book)
    }

    private static func bank(of bob: String, and eve: String) -> Self {
        let texts = ["ada", bob, eve, "joe", "mia"]
        let names = texts.map { ExactString($0) }
        return SimulatedRoom(
            Bank.room,
            people: [
                Identity("ada"), Identity(bob), Identity("ada", roles: ["clerk"]),
                Identity(eve, roles: ["clerk"]), Identity(bob, roles: ["clerk"]),
                Identity(eve),
            ]
        )
        .mirroring(Bank.total, optimistic: Bank.previewTotal)
        .mirroring(Bank.account, { random in random.pick(texts) }, optimistic: Bank.preview)
        .mirroring(Bank.mine)
        .mirroring(Bank.balances)
        .mirroring(Bank.signatures)
        .mirroring(Bank.present)
        .mirroring(Bank.everything)
        .mirroring(Bank.audit)
        .dispatching(4) { random, _ in
            Deposit(
                account: random.pick(names), amount: 1 + random.below(100),
                note: "\(random.below(1_000_000))")
        }
        .dispatching(4) { random, me in
            Transfer(from: ExactString(me.id), to: random.pick(names), amount: random.below(60))
        }
        .dispatching { random, me in
            Split(
                account: ExactString(me.id), amount: random.below(50), first: random.pick(names),
                second: random.pick(names), surplus: random.below(40))
        }
        .dispatching { random, _ in Seize(account: random.pick(names)) }
        .dispatching(2) { random, _ in Sign(text: "\(random.below(1000))") }
        .dispatching { random, _ in Whisper(text: "\(random.below(1000))") }
        .dispatching { random, me in
            // Only the server may dispatch it.
            ClientLeft(participant: "\(random.below(100))", user: me.id)
        }
        .dispatchingRarely { random, _ in
            // Half of them to the limit: 480 levels can be read.
            Wrap(times: random.pick([0, 1, 1 + random.below(200), 240, 479]))
        }
        .dispatchingOnServer { random in
            Deposit(account: random.pick(names), amount: 1, note: "interest")
        }
        .requiring("money is neither made nor lost") { bank in
            bank.accounts.reduce(0) { $0 + $1.balance } == bank.deposited
                && bank.accounts.allSatisfy { $0.balance >= 0 }
        }
    }
}

extension Simulation {
    /// A simulation of rooms that are designed to make errors of the library visible: a bank and,
    /// in some seeds, a market.
    package static var bank: Simulation { bank() }

    /// The same on a journal of its own: see ``JournalMaker``.
    package static func bank(
        journal: JournalMaker? = nil, cluster: ClusterMaker? = nil
    ) -> Simulation {
        Simulation(
            AnySimulatedRoom(.bank), lookAlike: AnySimulatedRoom(.bankOfLookAlikes),
            tables: AnySimulatedRoom(.market), journal: journal, cluster: cluster)
    }
}
