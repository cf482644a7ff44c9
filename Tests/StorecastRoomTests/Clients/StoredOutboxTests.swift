import Testing

@testable import StorecastMirror
@testable import StorecastRoom

/// Outboxes that outlive their sessions.
struct StoredOutboxTests {
    let loop = TestLoop()
    let storage = MemoryOutboxStorage()

    /// A client's process with the outbox in `storage`.
    private func start(
        _ storage: MemoryOutboxStorage? = nil, limits: OutboxLimits = OutboxLimits(),
        client: String = .ada
    ) throws(Rejection) -> TestClient {
        let stored = try StoredOutbox(
            in: storage ?? self.storage, room: "/", actions: ActionCatalogue([Write.self]),
            limits: limits, client: client,
            stamps: { ProvisionalStamps(client: $0, sender: .anonymous) { Timestamp.zero } })
        return TestClient(
            ClientSession(outbox: stored.outbox, recorder: stored.recorder), on: loop)
    }

    private var text: String { String(decoding: storage.synced + storage.unsynced, as: UTF8.self) }

    /// The frames and notes in the storage, without their checksums.
    private var records: [JSON] {
        text.split(separator: "\n").dropFirst().map { parsed(String($0.dropFirst(9))) }
    }

    private func seqs(_ op: String) -> [Int] {
        records.filter { $0.op == op }.compactMap { $0["seq"]?.int }
    }

    // MARK: Restarting

    @Test func `R: what is pending survives a restart with the client's id, and is reduced once`()
        throws
    {
        let room = loop.open(Shop.room)
        let first = try start()
        first.connect(to: room)
        first.settle()
        first.dispatch(Write(text: "1"))
        first.settle()
        for text in ["2", "3"] { first.dispatch(Write(text: text)) }
        // One reaches the server, and then the process dies.
        first.speak()
        first.arrive()
        loop.endTurn()
        storage.crash()
        let second = try start(client: .bob)
        #expect(second.session.client == .ada)
        #expect(second.session.pendingCount == 2)
        second.dispatch(Write(text: "4"))
        second.connect(to: room)
        second.settle()
        #expect(room.store.state.log == ["1", "2", "3", "4"])
        #expect(second.session.pendingCount == 0)
        #expect(seqs("settled").last == 4)
    }

    @Test func `connections are numbered on and on, whoever opens the outbox again`() throws {
        var numbers: [Int] = []
        for _ in 1...3 {
            let program = try start()
            for _ in 1...2 {
                program.connect(to: loop.open(Shop.room))
                numbers.append(program.helloNumber ?? -1)
                program.session.disconnected()
            }
            storage.crash()
        }
        #expect(numbers.count == 6)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        #expect(numbers.allSatisfy { (1...1 << 53 - 1).contains($0) })
    }

    @Test func `connections have no number while the disk can't keep them apart`() throws {
        let first = try start()
        first.connect(to: loop.open(Shop.room))
        let second = try start()
        storage.failure = Rejection(.outboxUnwritable, "The disk is full.")
        second.connect(to: loop.open(Shop.room))
        #expect(second.helloNumber == nil)
        storage.failure = nil
        second.session.store()
        second.session.disconnected()
        second.connect(to: loop.open(Shop.room))
        let (old, new) = (first.helloNumber, second.helloNumber)
        #expect(try #require(old) < #require(new))
    }

    @Test func `an outbox of an earlier version, without numbers, goes on`() throws {
        let head = #"{"op":"opened","version":1,"client":"ada-0123456789abcdef","room":"/"}"#
        try storage.append(Array("0f0a08ce \(head)\n".utf8))
        let client = try start(client: .bob)
        #expect(client.session.client == .ada)
        client.connect(to: loop.open(Shop.room))
        #expect(client.helloNumber != nil)
    }

    @Test func `what is left shows at once in optimistic mirrors, and its outcome can be awaited`()
        throws
    {
        let room = loop.open(Shop.room)
        let first = try start()
        for text in ["1", "2"] { first.dispatch(Write(text: text)) }
        first.dispatch(Sign(text: "not among the types"))
        first.session.store()
        let second = try start()
        let log = OptimisticMirror<[String]>("log", on: second) { lines, action in
            if let write = action as? Write { lines.append(write.text) }
        }
        let left = second.session.outbox.withLock { outbox in
            outbox.pendingEntries.map { ($0.action.type, $0.outcome) }
        }
        #expect(left.map(\.0) == ["Write", "Write", "Sign"])
        second.connect(to: room)
        second.settle()
        #expect(log.history.prefix(2) == ["nothing", #"["1", "2"]"#])
        #expect(room.store.state.log.count == 3)
        #expect(try left[1].1.settled?.get().version == 3)
    }

    @Test func `R: nothing is sent that a crash could undo`() throws {
        let room = loop.open(Shop.room)
        // Wherever the crash cuts what wasn't synced, the server has seen nothing of it.
        for kept in 0...400 {
            let storage = MemoryOutboxStorage()
            let client = try start(storage, client: "client-\(kept)-0123456789")
            client.connect(to: room)
            client.settle()
            client.dispatch(Write(text: "a"))
            client.settle()
            client.dispatch(Write(text: "b"))
            client.speak()
            #expect(client.takeSaid().last?["seq"] == 2)
            client.dispatch(Write(text: "c"))
            client.cut()
            storage.crash(keeping: kept)
            let next = try start(storage)
            let last = next.session.outbox.withLock(\.lastSeq)
            #expect(last >= 2)
            #expect(next.session.pendingCount >= 1)
        }
    }

    @Test func `a log that is torn at any byte goes on from what is whole`() throws {
        let first = try start()
        for text in ["1", "2", "3"] { first.dispatch(Write(text: text)) }
        first.session.store()
        let whole = storage.synced
        let header = (whole.firstIndex(of: UInt8(ascii: "\n")) ?? 0) + 1
        for end in 0...whole.count {
            let torn = MemoryOutboxStorage(Array(whole[..<end]))
            let client = try start(torn, client: .bob)
            let lines = whole[..<end].count { $0 == UInt8(ascii: "\n") }
            #expect(client.session.client == (end < header ? .bob : .ada))
            #expect(client.session.pendingCount == max(0, lines - 1))
            // What comes next is whole again.
            client.dispatch(Write(text: "next"))
            client.session.store()
            #expect(try start(torn).session.pendingCount == max(1, lines))
        }
    }

    @Test func `what was rejected stays so, though those before it are pending`() throws {
        let first = try start()
        first.session.connected(token: nil)
        #expect(say(welcome(lastSeq: 0), to: first))
        for text in ["1", "2", "3"] { first.dispatch(Write(text: text)) }
        _ = first.session.nextMessage()
        let reject = #"{"op":"reject","seq":2,"code":"no","title":"No.","retryable":false}"#
        #expect(say(reject, to: first))
        first.session.store()
        storage.crash()
        let second = try start()
        #expect(second.session.pendingCount == 2)
        // A server that forgot isn't sent 2 again: there is a gap, until 1 has its outcome.
        second.session.connected(token: nil)
        #expect(say(welcome(lastSeq: 0), to: second))
        second.speak()
        #expect(second.takeSaid().filter { $0.op == "dispatch" }.map { $0["seq"] } == [1])
        #expect(say(#"{"op":"transaction","v":4,"count":0,"acked":1}"#, to: second))
        second.session.store()
        #expect(second.session.needsNewConnection)
    }

    @Test func `a log that is written anew keeps the last number, though nothing is left of it`()
        throws
    {
        let first = try start()
        first.session.connected(token: nil)
        #expect(say(welcome(lastSeq: 0), to: first))
        for text in ["1", "2"] { first.dispatch(Write(text: text)) }
        _ = first.session.nextMessage()
        let reject = #"{"op":"reject","seq":2,"code":"no","title":"No.","retryable":false}"#
        #expect(say(reject, to: first))
        first.session.store()
        // What is torn is replaced.
        try storage.append(Array("torn".utf8))
        let second = try start()
        second.session.store()
        #expect(!String(decoding: storage.synced, as: UTF8.self).contains("torn"))
        storage.crash()
        let third = try start()
        let left = third.session.outbox.withLock { $0.pendingEntries.map(\.outcome) }
        third.session.connected(token: nil)
        #expect(say(welcome(lastSeq: 2), to: third))
        #expect(left.map { $0.settled } == [.success(Position(epoch: "e", version: 3))])
        third.dispatch(Write(text: "3"))
        third.speak()
        #expect(third.takeSaid().last?["seq"] == 3)
    }

    @Test func `R: what may have been reduced keeps its base, also when the room is met anew`()
        throws
    {
        let first = try start()
        first.session.connected(token: nil)
        #expect(say(welcome(lastSeq: 0, version: 4), to: first))
        first.dispatch(Write(text: "1"))
        first.speak()
        #expect(first.takeSaid().last?["base"] == 4)
        storage.crash()
        let second = try start()
        second.dispatch(Write(text: "2"))
        second.session.connected(token: nil)
        #expect(say(welcome(lastSeq: 0, version: 9), to: second))
        second.speak()
        // The second was made before anything was known, and never sent: now is as good as then.
        #expect(second.takeSaid().filter { $0.op == "dispatch" }.map { $0["base"] } == [4, 9])
    }

    @Test func `the window begins behind what is stored, as servers forget what lies before it`()
        throws
    {
        let client = try start()
        client.session.connected(token: nil)
        #expect(say(welcome(lastSeq: 0, window: 2), to: client))
        for number in 1...4 { client.dispatch(Write(text: "\(number)")) }
        client.speak()
        #expect(client.takeSaid().filter { $0.op == "dispatch" }.map { $0["seq"] } == [1, 2])
        storage.failure = Rejection(.outboxUnwritable, "The disk is full.")
        let reject = #"{"op":"reject","seq":1,"code":"no","title":"No.","retryable":false}"#
        #expect(say(reject, to: client))
        #expect(say(#"{"op":"transaction","v":4,"count":0,"acked":2}"#, to: client))
        client.speak()
        // A crash now would leave a client that asks what became of 1.
        #expect(client.takeSaid().isEmpty)
        storage.failure = nil
        client.session.store()
        client.speak()
        #expect(client.takeSaid().filter { $0.op == "dispatch" }.map { $0["seq"] } == [3, 4])
    }

    // MARK: What is said to whom, and when

    @Test func `all that is dispatched together waits for the disk once`() throws {
        let client = try start()
        client.session.store()
        let before = storage.syncs
        for number in 1...100 { client.dispatch(Write(text: "\(number)")) }
        client.session.store()
        #expect(storage.syncs == before + 1)
        #expect(seqs("dispatch") == Array(1...100))
        client.session.store()
        #expect(storage.syncs == before + 1)
    }

    @Test func `the server isn't told of outcomes that a crash could undo`() throws {
        let room = loop.open(Shop.room)
        let client = try start()
        client.connect(to: room)
        client.settle()
        client.dispatch(Write(text: "1"))
        client.settle()
        client.session.store()
        // It is written, not yet synced: the disk isn't waited for.
        #expect(!storage.unsynced.isEmpty)
        client.cut()
        _ = client.takeSaid()
        client.session.connected(token: nil)
        client.speak()
        #expect(client.takeSaid().first?["settled"] == 0)
        client.dispatch(Write(text: "2"))
        client.cut()
        client.connect(to: room)
        client.settle()
        #expect(client.takeSaid().first?["settled"] == 1)
    }

    @Test func `a dispatch that makes room is told so when that is stored`() throws {
        let client = try start(limits: OutboxLimits(count: 1, whenFull: .dropOldest))
        let first = client.dispatch(Write(text: "1"))
        client.session.store()
        storage.failure = Rejection(.outboxUnwritable, "No.")
        client.dispatch(Write(text: "2"))
        client.session.store()
        #expect(first.settled == nil)
        #expect(client.session.storageProblem?.code == .outboxUnwritable)
        storage.failure = nil
        client.session.store()
        #expect(throws: Rejection.self) { try first.settled?.get() }
        let next = try start()
        #expect(next.session.pendingCount == 1)
        #expect(seqs("dispatch") == [2])
    }

    // MARK: Failures

    @Test func `a full disk holds everything back and says so; nothing is lost`() throws {
        let room = loop.open(Shop.room)
        let client = try start()
        client.connect(to: room)
        client.settle()
        let full = Rejection(.outboxUnwritable, "The outbox can't be written.", detail: "Full.")
        storage.failure = full
        let waiting = client.dispatch(Write(text: "1"))
        client.settle()
        #expect(client.storageProblems == [full])
        #expect(room.store.state.log.isEmpty)
        #expect(!client.session.hasMessages)
        // Nor does it slip out with something else.
        client.session.ping()
        client.settle()
        #expect(client.takeSaid().last?.op == "ping")
        // Those that come later could only be lost.
        let refused = client.dispatch(Write(text: "2"))
        #expect(throws: full) { try refused.settled?.get() }
        #expect(waiting.settled == nil)
        client.session.store()
        #expect(client.storageProblems == [full])
        storage.failure = nil
        client.session.store()
        #expect(client.storageProblems == [full, nil])
        client.dispatch(Write(text: "3"))
        client.settle()
        #expect(room.store.state.log == ["1", "3"])
        #expect(waiting.settled != nil)
    }

    @Test func `after a failed write the log is written anew, whatever that one left`() throws {
        let client = try start()
        client.session.store()
        client.dispatch(Write(text: "1"))
        storage.failure = Rejection(.outboxUnwritable, "No.")
        client.session.store()
        storage.failure = nil
        try storage.append(Array("half a li".utf8))
        client.session.store()
        #expect(seqs("dispatch") == [1])
        #expect(try start().session.pendingCount == 1)
    }

    @Test func `an outbox of another room, or that is none, is refused and left alone`() throws {
        try start().session.store()
        let before = storage.synced
        #expect(throws: Rejection.self) {
            try StoredOutbox(
                in: storage, room: "/other", actions: ActionCatalogue([]), limits: OutboxLimits(),
                client: .bob,
                stamps: { ProvisionalStamps(client: $0, sender: .anonymous) { .zero } })
        }
        #expect(storage.synced == before)
        for text in [
            "Dear diary,\n",
            #"30c1765b {"op":"opened","version":2,"client":"ada-0123456789abcdef","room":"/"}"#
                + "\n",
        ] {
            do throws(Rejection) {
                _ = try start(MemoryOutboxStorage(Array(text.utf8)))
                Issue.record("\(text) was opened.")
            } catch {
                #expect(error.code == .outboxUnreadable)
            }
        }
    }

    @Test func `R: a restored backup ends as unknown what the server has settled since`() throws {
        let room = loop.open(Shop.room)
        let client = try start()
        client.dispatch(Write(text: "1"))
        client.session.store()
        let backup = MemoryOutboxStorage(storage.synced)
        client.dispatch(Write(text: "2"))
        client.connect(to: room)
        client.settle()
        client.cut()
        let restored = try start(backup)
        let left = restored.session.outbox.withLock { $0.pendingEntries.map(\.outcome) }
        let made = restored.dispatch(Write(text: "another"))
        restored.connect(to: room)
        restored.settle()
        for outcome in left + [made] {
            do throws(Rejection) {
                _ = try outcome.settled?.get()
                Issue.record("The outcome of what the original sent is known.")
            } catch {
                #expect(error.code == .outcomeUnknown)
            }
        }
        restored.dispatch(Write(text: "3"))
        restored.settle()
        #expect(room.store.state.log == ["1", "2", "3"])
    }

    // MARK: Size

    @Test func `a log of what is settled is replaced before it grows`() throws {
        let room = loop.open(Shop.room)
        let client = try start()
        client.connect(to: room)
        client.settle()
        var largest = 0
        for number in 1...2000 {
            client.dispatch(Write(text: String(repeating: "x", count: 200)))
            client.settle()
            // As fast as a connection may for ever.
            loop.advance(by: 1 / SyncLimits().connectionRate.actions)
            client.session.store()
            largest = max(largest, storage.synced.count + storage.unsynced.count)
            if number % 500 == 0 { #expect(try start().session.pendingCount == 0) }
        }
        #expect(largest < 70_000)
        #expect(room.position.version == 2000)
    }

    private func say(_ text: String, to client: TestClient) -> Bool {
        Array(text.utf8).withUnsafeBytes { client.session.receive($0) }
    }

    private func welcome(lastSeq: Int, version: Int = 3, window: Int = 9) -> String {
        #"""
        {"op":"welcome","proto":1,"epoch":"e","v":\#(version),"lastSeq":\#(lastSeq),"heartbeat":30,
        "limits":{"message":10000,"window":\#(window),"subscriptions":9,"depth":9},"server":"test"}
        """#
    }
}

extension Timestamp {
    fileprivate static var zero: Timestamp { Timestamp(secondsSince1970: 0) }
}
