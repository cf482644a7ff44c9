import StorecastClient
import StorecastServer
import StorecastRoom
import StorecastTesting
import TestSupport
import Testing

/// The same dispatches come to the same in a server, in a test room and in a test store: what is
/// taken, what is rejected and why, and the state behind each.
@MainActor @Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct SameResultsTests {
    struct Purse: Codable, Equatable, Sendable {
        var total = 0
        /// Who did what.
        var lines: [String] = []
    }

    struct Pay: Stamped {
        var amount: Int
        var stamp = Stamp()
        init(_ amount: Int) { self.amount = amount }
    }

    /// Middleware makes two of it.
    struct Share: SyncAction {
        var amount: Int
    }

    /// Middleware stops it.
    struct Whisper: SyncAction {}

    /// Only `bob` may, and the server's own code.
    struct Seize: SyncAction {}

    /// Of no room.
    struct Unknown: SyncAction {}

    private nonisolated static let room = RoomDefinition(
        state: Purse(), actions: [Pay.self, Share.self, Whisper.self, Seize.self],
        selections: [Selection("all") { (purse: Purse) in purse }]
    ) { purse, action in
        switch action {
        case let pay as Pay:
            purse.total += pay.amount
            purse.lines.append("\(pay.stamp.sender.id) pays \(pay.amount)")
        case is Seize:
            purse.total = 0
            purse.lines.append("seized")
        default: break
        }
    }
    .validate(Pay.self) { purse, pay, sender in
        guard purse.total + pay.amount >= 0 else {
            throw Rejection(.conflict, "Too little.", detail: "\(purse.total) for \(sender.id)")
        }
    }
    .authorize(Seize.self) { _, sender in
        guard sender.id == "bob" else { throw Rejection(.forbidden, "Only bob.") }
    }
    .allowAll(.open)
    .revertible()
    .onOpen { store in
        store.middleware = [
            { _, _ in
                { next in
                    { action in
                        if action is Whisper { return }
                        guard let share = action as? Share else { return next(action) }
                        next(Pay(share.amount))
                        next(Pay(share.amount / 2))
                    }
                }
            }
        ]
    }

    private struct Step {
        let action: any SyncAction
        let sender: Identity
    }

    private func steps(_ seed: UInt64) -> [Step] {
        var random = SeededGenerator(seed: seed)
        return (0..<60).map { number in
            let amount = Int(random.next() % 41) - 20
            let action: any SyncAction =
                switch random.next() % 12 {
                case 0...5: Pay(amount)
                case 6, 7: Share(amount: amount)
                case 8: Whisper()
                case 9: Seize()
                case 10: Unknown()
                default: RevertTo<Purse>(version: random.next() % UInt64(number + 2))
                }
            let sender = [Identity("ada"), Identity("bob"), .server][Int(random.next() % 3)]
            return Step(action: action, sender: sender)
        }
    }

    /// What a dispatch comes to, as far as it is the same everywhere.
    private enum Result: Equatable {
        case version(UInt64)
        case rejected(Rejection.Code, String?)
    }

    private func result(_ dispatch: Dispatch) async -> Result {
        do throws(Rejection) {
            return .version(try await dispatch.outcome.version)
        } catch {
            return .rejected(error.code, error.detail)
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `in server, test room and test store`(_ seed: UInt64) async throws {
        // As in the others, what was reverted to is never forgotten.
        let journal = JournalProvider { () throws(JournalError) in
            MemoryJournalStore(capacity: .max)
        }
        let server = SyncServer(
            port: 0, journal: journal, rooms: { _ in Self.room },
            authenticate: { credentials in Identity(credentials.token ?? "") })
        let url = try await server.start()
        let live = try await server.room("/", of: Purse.self)
        let test = TestRoom(Self.room)
        let store = TestStore(Self.room)
        var clients: [String: (RemoteConnection, RemoteConnection)] = [:]
        for name in ["ada", "bob"] {
            clients[name] = (
                RemoteConnection(url, token: { name }), test.connect(as: Identity(name))
            )
        }
        var before = Purse()
        for (number, step) in steps(seed).enumerated() {
            let isServer = step.sender.id == Identity.server.id
            let (real, rehearsed) =
                isServer
                ? (live.dispatch(step.action), test.dispatch(step.action))
                : (
                    clients[step.sender.id]!.0.dispatch(step.action),
                    clients[step.sender.id]!.1.dispatch(step.action)
                )
            await test.settle()
            let expected = await result(real)
            #expect(await result(rehearsed) == expected, "step \(number): \(step)")
            let state = try #require(try await live.withStore { $0.state })
            #expect(test.state == state, "step \(number): \(step)")
            store.stamp.sender = step.sender
            switch expected {
            case .version where state == before: store.dispatch(step.action)
            case .version: store.dispatch(step.action) { $0 = state }
            case .rejected(let code, let detail):
                let rejection = store.expectRejection(of: step.action, code)
                #expect(rejection?.detail == detail, "step \(number): \(step)")
            }
            before = state
        }
        #expect(test.position.version == (try await live.position.version))
        for (real, rehearsed) in clients.values {
            real.close()
            rehearsed.close()
        }
        await server.stop()
    }
}
