import StorecastMirror
import StorecastSync
import TestSupport
import Testing

struct ConnectorTests {
    private let bench = ConnectorBench()
    private var connector: Connector { bench.connector }

    private func start() {
        connector.start()
        bench.settle()
    }

    private func goLive(heartbeat: Int = 30) {
        start()
        bench.welcome(heartbeat: heartbeat)
    }

    // MARK: Connecting

    @Test func `it gets a token, opens a connection, says hello and is live at the welcome`() {
        start()
        #expect(bench.tokenRequests == [1])
        #expect(bench.connection.sent.isEmpty)
        bench.open()
        #expect(bench.connection.sent.ops == ["hello"])
        #expect(bench.connection.sent.first?["token"] == "t")
        #expect(bench.statuses == [.connecting])
        bench.welcome()
        #expect(bench.statuses == [.connecting, .live])
    }

    @Test func `a lost connection is replaced after the delay, not before`() throws {
        goLive()
        bench.lose()
        let delay = try #require(bench.delay)
        #expect(bench.statuses.last == .offline(retryIn: delay, reason: "The cable is cut."))
        bench.advance(by: delay - .nanoseconds(1))
        #expect(bench.connections.count == 1)
        bench.advance(by: .nanoseconds(1))
        #expect(bench.connections.count == 2)
        #expect(bench.statuses.last == .connecting)
    }

    @Test func `what happens to a connection that was given up changes nothing`() {
        goLive()
        let old = bench.connection
        bench.lose()
        bench.retry()
        bench.welcome()
        let statuses = bench.statuses
        connector.take(.closed(code: 4101, reason: "", problem: nil), from: old.attempt)
        connector.take(.opened, from: old.attempt)
        Array("nonsense".utf8).withUnsafeBytes {
            connector.take(.received($0), from: old.attempt)
        }
        bench.settle()
        #expect(bench.statuses == statuses)
        #expect(bench.connection.sent.ops == ["hello"])
    }

    @Test func `a server that never says welcome is given up`() throws {
        start()
        bench.open()
        bench.advance(by: Connector.welcomeTimeout - .nanoseconds(1))
        #expect(bench.statuses == [.connecting])
        bench.advance(by: .nanoseconds(1))
        #expect(bench.connection.closeCode == 1001)
        let delay = try #require(bench.delay)
        let reason = "The server didn't answer."
        #expect(bench.statuses.last == .offline(retryIn: delay, reason: reason))
    }

    @Test(
        arguments: [
            (nil, "", "The connection was lost."), (nil, "Bye.", "Bye."), ("Cut.", "Bye.", "Cut."),
            ("", "Bye.", "The connection was lost."),
        ] as [(String?, String, String)])
    func `why there is no connection is what went wrong, or what the server said`(
        problem: String?, reason: String, told: String
    ) throws {
        goLive()
        bench.lose(1006, problem, reason: reason)
        let delay = try #require(bench.delay)
        #expect(bench.statuses.last == .offline(retryIn: delay, reason: told))
    }

    @Test(
        arguments: [
            (nil, "", "The server hung up."), (nil, "No.", "No."), ("Cut.", "No.", "Cut."),
        ] as [(String?, String, String)])
    func `why it is closed for good is that too`(
        problem: String?, reason: String, told: String
    ) {
        goLive()
        bench.lose(4102, problem, reason: reason)
        #expect(bench.statuses.last == .closed(Rejection(.forbidden, told)))
    }

    @Test func `one that fails while it is opened is a failed attempt, and isn't used`() throws {
        bench.failsAtOnce = true
        start()
        let delay = try #require(bench.delay)
        #expect(bench.statuses == [.connecting, .offline(retryIn: delay, reason: "No way.")])
        bench.dispatch()
        connector.close(nil)
        #expect(bench.connections.count == 1)
        #expect(bench.connection.sent.isEmpty && bench.connection.closeCode == nil)
    }

    @Test func `so is one that never takes the connection`() {
        start()
        bench.advance(by: Connector.welcomeTimeout)
        #expect(bench.connection.closeCode == 1001)
        bench.retry()
        bench.welcome()
        bench.advance(by: Connector.welcomeTimeout)
        #expect(bench.statuses.last == .live)
    }

    @Test func `what is no frame ends the connection, and another one is made`() {
        goLive()
        bench.say("nonsense")
        #expect(bench.connection.closeCode == CloseCode.protocolViolation.rawValue)
        #expect(bench.reports.count == 1)
        bench.retry()
        #expect(bench.connections.count == 2)
    }

    @Test(arguments: [4101, 4104, 1008] as [UInt16])
    func `a server that refuses ends it for good`(_ code: UInt16) {
        goLive()
        let outcome = bench.dispatch()
        bench.lose(code, "Go away.")
        let rejection = Rejection(
            Rejection.Code(CloseCode(rawValue: code).word), "Go away.")
        #expect(bench.statuses.last == .closed(rejection))
        #expect(throws: rejection) { try outcome.settled?.get() }
        bench.advance(by: .seconds(7200))
        #expect(bench.connections.count == 1)
    }

    // MARK: Back-off

    @Test func `failures in a row take longer and longer`() {
        start()
        bench.fail(9)
        bench.lose()
        #expect(bench.delay.map { $0 >= .seconds(15) } == true)
    }

    @Test func `a connection that was live for five seconds ends a row of failures`() {
        start()
        bench.fail(9)
        bench.welcome()
        bench.advance(by: .seconds(5))
        bench.lose()
        #expect(bench.delay.map { $0 <= .milliseconds(250) } == true)
    }

    @Test func `one that was live for a moment doesn't, however long it took to come`() {
        start()
        bench.fail(9)
        bench.advance(by: .seconds(10))
        bench.welcome()
        bench.advance(by: .seconds(4))
        bench.lose()
        #expect(bench.delay.map { $0 >= .seconds(15) } == true)
    }

    @Test func `reconnect doesn't wait, and ends a row of failures`() {
        start()
        bench.fail(9)
        bench.lose()
        connector.reconnect()
        #expect(bench.connections.count == 11)
        // The attempt that was planned before isn't made on top of it.
        bench.advance(by: .seconds(10))
        #expect(bench.connections.count == 11)
        bench.lose()
        #expect(bench.delay.map { $0 <= .milliseconds(250) } == true)
    }

    @Test func `reconnect leaves an attempt and a live connection alone`() {
        start()
        connector.reconnect()
        bench.welcome()
        connector.reconnect()
        #expect(bench.connections.count == 1)
        #expect(bench.connection.closeCode == nil)
    }

    // MARK: Bye

    @Test func `a bye says how long to stay away, and why`() {
        goLive()
        bench.say(
            #"{"op":"bye","code":"going-away","title":"Soon.","reconnect":true,"after":60,"jitter":30}"#
        )
        bench.lose(1001, "")
        guard case .offline(let delay, "Soon.") = bench.statuses.last else {
            return #expect(Bool(false), "\(bench.statuses)")
        }
        #expect((.seconds(60) ... .seconds(90)).contains(delay))
        // It counts for one time.
        bench.retry()
        bench.lose()
        #expect(bench.delay.map { $0 <= .seconds(1) } == true)
    }

    @Test func `a bye counts too if the connection breaks before it is closed`() {
        goLive(heartbeat: 10)
        bench.say(
            #"{"op":"bye","code":"full","title":"Full.","reconnect":true,"after":60,"jitter":0}"#)
        bench.advance(by: .seconds(20))
        #expect(bench.delay == .seconds(60))
    }

    @Test func `a bye can end it for good, whatever the close code says`() {
        goLive()
        bench.say(
            #"{"op":"bye","code":"no-room","title":"Gone.","reconnect":false,"after":0,"jitter":0}"#
        )
        bench.lose()
        #expect(bench.statuses.last == .closed(Rejection(Rejection.Code("no-room"), "Gone.")))
    }

    // MARK: Another network, and suspended apps

    @Test func `with another network it connects at once, and failures no longer count`() {
        start()
        bench.fail(9)
        bench.lose()
        connector.networkChanged()
        #expect(bench.connections.count == 11)
        bench.lose()
        #expect(bench.delay.map { $0 <= .milliseconds(250) } == true)
    }

    @Test func `another network doesn't shorten what a server has asked for`() {
        goLive()
        bench.say(
            #"{"op":"bye","code":"full","title":"Full.","reconnect":true,"after":60,"jitter":0}"#)
        bench.lose()
        connector.networkChanged()
        #expect(bench.connections.count == 1)
        #expect(bench.delay == .seconds(60))
    }

    @Test func `a connection that another network has cut is found dead in five seconds`() {
        goLive()
        bench.advance(by: .seconds(1))
        connector.networkChanged()
        #expect(bench.connection.sent.ops == ["hello", "ping"])
        bench.advance(by: .seconds(5) - .nanoseconds(1))
        #expect(bench.statuses.last == .live)
        bench.advance(by: .nanoseconds(1))
        guard case .offline(_, "The server is silent.") = bench.statuses.last else {
            return #expect(Bool(false), "\(bench.statuses)")
        }
    }

    @Test func `with a short heartbeat it is found as soon as that is over`() {
        goLive(heartbeat: 2)
        bench.advance(by: .seconds(1))
        connector.networkChanged()
        bench.advance(by: .seconds(2) - .nanoseconds(1))
        #expect(bench.statuses.last == .live)
        bench.advance(by: .nanoseconds(1))
        #expect(bench.delay != nil && bench.connection.closeCode == 1001)
    }

    @Test func `what isn't live yet isn't asked whether it is there`() {
        start()
        bench.open()
        bench.advance(by: .seconds(1))
        connector.networkChanged()
        bench.settle()
        #expect(bench.connection.sent.ops == ["hello"])
        bench.advance(by: .seconds(6))
        #expect(bench.statuses == [.connecting])
        #expect(bench.tokenRequests.count == 1)
    }

    @Test func `while it waits it can be suspended too, and failures don't count afterwards`() {
        start()
        bench.fail(9)
        bench.lose()
        connector.suspend()
        #expect(bench.statuses.last == .offline(retryIn: .zero, reason: "The app is suspended."))
        bench.advance(by: .seconds(3600))
        #expect(bench.connections.count == 10)
        // Twice is once.
        let count = bench.statuses.count
        connector.suspend()
        #expect(bench.statuses.count == count)
        connector.resume()
        bench.settle()
        #expect(bench.connections.count == 11)
        bench.lose()
        #expect(bench.delay.map { $0 <= .milliseconds(250) } == true)
        // What isn't suspended isn't woken up.
        connector.resume()
        #expect(bench.connections.count == 11)
    }

    @Test func `a token that comes when it has been suspended opens nothing`() {
        bench.token = nil
        start()
        connector.suspend()
        connector.provide(token: "late", for: 1)
        connector.tokenFailed("Late.", for: 1)
        bench.advance(by: .seconds(600))
        #expect(bench.connections.isEmpty)
        #expect(bench.statuses.last == .offline(retryIn: .zero, reason: "The app is suspended."))
    }

    @Test func `one that is still there goes on`() {
        goLive()
        bench.advance(by: .seconds(1))
        connector.networkChanged()
        bench.advance(by: .seconds(1))
        bench.say(#"{"op":"pong","v":1}"#)
        bench.advance(by: .seconds(10))
        #expect(bench.statuses.last == .live)
    }

    @Test func `while it is suspended it connects to nobody, and then at once`() {
        goLive()
        connector.suspend()
        #expect(bench.connection.closeCode == 1001)
        #expect(bench.statuses.last == .offline(retryIn: .zero, reason: "The app is suspended."))
        connector.networkChanged()
        connector.reconnect()
        bench.advance(by: .seconds(3600))
        #expect(bench.connections.count == 1)
        connector.resume()
        bench.settle()
        #expect(bench.connections.count == 2)
        bench.welcome()
        #expect(bench.statuses.last == .live)
    }

    @Test func `what was never started or is closed isn't woken up`() {
        connector.suspend()
        connector.resume()
        #expect(bench.connections.isEmpty)
        start()
        connector.close(nil)
        connector.suspend()
        connector.resume()
        #expect(bench.connections.count == 1)
        #expect(bench.statuses.last == .closed(nil))
    }

    // MARK: Heartbeat

    @Test func `after a heartbeat of silence it pings, and after another the connection is lost`() {
        goLive(heartbeat: 10)
        bench.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(bench.connection.sent.ops == ["hello"])
        bench.advance(by: .nanoseconds(1))
        #expect(bench.connection.sent.ops == ["hello", "ping"])
        bench.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(bench.statuses.last == .live)
        bench.advance(by: .nanoseconds(1))
        #expect(bench.connection.closeCode == 1001)
        guard case .offline(_, "The server is silent.") = bench.statuses.last else {
            return #expect(Bool(false), "\(bench.statuses)")
        }
    }

    @Test func `whatever is heard counts from then`() {
        goLive(heartbeat: 10)
        for _ in 1...10 {
            bench.advance(by: .seconds(9))
            bench.say(#"{"op":"pong","v":1}"#)
        }
        #expect(bench.connection.sent.ops == ["hello"])
        bench.advance(by: .seconds(10))
        bench.say(#"{"op":"pong","v":1}"#)
        bench.advance(by: .seconds(19))
        #expect(bench.connection.sent.ops == ["hello", "ping", "ping"])
        #expect(bench.statuses.last == .live)
    }

    @Test(arguments: [(0, 1), (1, 1), (3600, 3600), (100_000, 3600)])
    func `a heartbeat is a second at least, and an hour at most`(said: Int, seconds: Int) {
        goLive(heartbeat: said)
        bench.advance(by: .seconds(seconds) - .nanoseconds(1))
        #expect(bench.connection.sent.ops == ["hello"])
        bench.advance(by: .nanoseconds(1))
        #expect(bench.connection.sent.ops == ["hello", "ping"])
    }

    @Test func `a new connection has a heartbeat of its own`() {
        goLive(heartbeat: 10)
        bench.advance(by: .seconds(9))
        bench.lose()
        bench.retry()
        bench.welcome(heartbeat: 10)
        bench.advance(by: .seconds(9))
        #expect(bench.connection.sent.ops == ["hello"])
    }

    // MARK: Sending

    @Test func `what is dispatched in one go is sent in one message`() {
        goLive()
        for _ in 1...3 {
            bench.session.dispatch(
                OutgoingAction(type: "T", payload: []), DispatchOutcome())
            connector.scheduleFlush()
        }
        #expect(bench.connection.sent.ops == ["hello"])
        bench.settle()
        #expect(bench.connection.sent.compactMap { $0["seq"]?.int } == [1, 2, 3])
    }

    @Test func `what is held is sent again when the time is over`() {
        goLive()
        bench.dispatch()
        bench.say(
            #"{"op":"reject","seq":1,"code":"x","title":"X","retryable":true,"retryAfter":2}"#)
        bench.dispatch()
        bench.advance(by: .seconds(2) - .nanoseconds(1))
        #expect(bench.connection.sent.ops == ["hello", "dispatch"])
        bench.advance(by: .nanoseconds(1))
        #expect(bench.connection.sent.compactMap { $0["seq"]?.int } == [1, 1, 2])
    }

    @Test(
        arguments: [
            ("", .seconds(1)), (#","retryAfter":0"#, .milliseconds(10)),
            (#","retryAfter":-7"#, .milliseconds(10)), (#","retryAfter":0.5"#, .milliseconds(500)),
            (#","retryAfter":1e300"#, .seconds(3600)),
        ] as [(String, Duration)])
    func `a hold is a hundredth of a second at least, and an hour at most`(
        said: String, time: Duration
    ) {
        goLive(heartbeat: 3600)
        bench.dispatch()
        bench.say(
            #"{"op":"reject","seq":1,"code":"x","title":"X","retryable":true\#(said)}"#)
        bench.advance(by: time - .microseconds(1))
        #expect(bench.connection.sent.compactMap { $0["seq"]?.int } == [1])
        bench.advance(by: .microseconds(2))
        #expect(bench.connection.sent.compactMap { $0["seq"]?.int } == [1, 1])
    }

    @Test func `a hold ends with its connection, and doesn't end one of the next`() {
        goLive()
        bench.dispatch()
        let hold =
            #"{"op":"reject","seq":1,"code":"x","title":"X","retryable":true,"retryAfter":2}"#
        bench.say(hold)
        bench.lose()
        bench.retry()
        bench.welcome()
        #expect(bench.connection.sent.ops == ["hello", "dispatch"])
        bench.say(hold)
        bench.advance(by: .milliseconds(1900))
        #expect(bench.connection.sent.ops == ["hello", "dispatch"])
        bench.advance(by: .milliseconds(100))
        #expect(bench.connection.sent.ops == ["hello", "dispatch", "dispatch"])
    }

    @Test func `a gap is jumped by another connection at once`() {
        start()
        for payload in ["1", "\"\(String(repeating: "x", count: 900))\"", "3"] {
            bench.dispatch(payload)
        }
        // The second is too large for this server.
        bench.welcome(message: 500)
        #expect(bench.connection.sent.compactMap { $0["seq"]?.int } == [1])
        let first = bench.connection
        bench.say(#"{"op":"transaction","v":2,"count":0,"acked":1}"#)
        #expect(first.closeCode == 1000)
        #expect(bench.connections.count == 2)
        #expect(bench.statuses == [.connecting, .live, .connecting])
        bench.welcome(lastSeq: 1, message: 500)
        #expect(bench.connection.sent.first?["settled"] == 2)
        #expect(bench.connection.sent.compactMap { $0["seq"]?.int } == [3])
    }

    @Test(arguments: [(1, false), (5, true)])
    func `a gap is no failure, and ends a row of failures only as a live connection does`(
        _ seconds: Int, _ isReset: Bool
    ) {
        start()
        bench.fail(9)
        for payload in ["1", "\"\(String(repeating: "x", count: 900))\"", "3"] {
            bench.dispatch(payload)
        }
        bench.welcome(message: 500)
        bench.advance(by: .seconds(seconds))
        bench.say(#"{"op":"transaction","v":2,"count":0,"acked":1}"#)
        // The next attempt takes its time, and fails.
        bench.advance(by: .seconds(10))
        bench.lose()
        #expect(bench.delay.map { $0 <= .milliseconds(250) } == isReset)
    }

    // MARK: Tokens

    @Test func `without a token nothing is opened`() {
        bench.token = nil
        start()
        bench.advance(by: .seconds(600))
        #expect(bench.connections.isEmpty)
        connector.provide(token: "late", for: 1)
        bench.open()
        #expect(bench.connection.sent.first?["token"] == "late")
    }

    @Test func `every connection has a token of its own`() {
        goLive()
        bench.lose()
        bench.token = "t2"
        bench.retry()
        bench.welcome()
        #expect(bench.tokenRequests.count == 2)
        #expect(bench.connection.sent.first?["token"] == "t2")
    }

    @Test func `a token that can't be had is a failed attempt`() {
        bench.token = nil
        start()
        connector.tokenFailed("The disk is gone.", for: 1)
        guard case .offline(let delay, "The disk is gone.") = bench.statuses.last else {
            return #expect(Bool(false), "\(bench.statuses)")
        }
        #expect(delay <= .milliseconds(250))
        bench.retry()
        #expect(bench.tokenRequests.count == 2)
    }

    @Test func `a token for an attempt that is over opens nothing`() throws {
        bench.token = nil
        start()
        connector.tokenFailed("Too slow.", for: 1)
        bench.retry()
        let second = try #require(bench.tokenRequests.last)
        connector.provide(token: "of the first", for: 1)
        connector.tokenFailed("Of the first.", for: 1)
        #expect(bench.connections.isEmpty)
        #expect(bench.statuses.last == .connecting)
        connector.provide(token: "of the second", for: second)
        bench.welcome()
        // And one that comes twice opens nothing more.
        connector.provide(token: "again", for: second)
        #expect(bench.connections.count == 1)
        #expect(bench.statuses.last == .live)
    }

    @Test func `a token that comes after the end opens nothing`() {
        bench.token = nil
        start()
        connector.close(nil)
        connector.provide(token: "late", for: 1)
        connector.tokenFailed("Late.", for: 1)
        connector.reconnect()
        bench.advance(by: .seconds(600))
        #expect(bench.connections.isEmpty)
        #expect(bench.statuses == [.connecting, .closed(nil)])
    }

    @Test func `a newer token is shown on a live connection`() {
        goLive()
        connector.authenticate(token: "t2")
        bench.settle()
        #expect(bench.connection.sent.ops == ["hello", "authenticate"])
        #expect(bench.connection.sent.last?["token"] == "t2")
    }

    @Test func `one that comes before the welcome is shown after it, unless hello had it`() {
        start()
        bench.open()
        connector.authenticate(token: "t2")
        bench.settle()
        #expect(bench.connection.sent.ops == ["hello"])
        bench.welcome()
        #expect(bench.connection.sent.last?["token"] == "t2")
        bench.lose()
        bench.token = "t2"
        bench.retry()
        connector.authenticate(token: "t2")
        bench.welcome()
        #expect(bench.connection.sent.ops == ["hello"])
    }

    @Test func `one that comes between connections is left to the next request`() {
        goLive()
        bench.lose()
        connector.authenticate(token: "t2")
        bench.retry()
        bench.welcome()
        #expect(bench.connection.sent.ops == ["hello"])
        #expect(bench.connection.sent.last?["token"] == "t")
    }

    // MARK: Renewal

    @Test func `a server that asks for a newer token is shown one, on the same connection`() {
        goLive()
        bench.token = "t2"
        bench.say(#"{"op":"renew","within":60}"#)
        #expect(bench.tokenRequests.count == 2)
        #expect(bench.connection.sent.ops == ["hello", "authenticate"])
        #expect(bench.connection.sent.last?["token"] == "t2")
        #expect(bench.connections.count == 1)
        #expect(bench.statuses == [.connecting, .live])
    }

    @Test func `while the host has the same token, it is asked again, half as late each time`() {
        goLive(heartbeat: 3600)
        bench.say(#"{"op":"renew","within":60}"#)
        for wait in [30, 15] {
            let count = bench.tokenRequests.count
            bench.advance(by: .seconds(wait) - .nanoseconds(1))
            #expect(bench.tokenRequests.count == count)
            bench.advance(by: .nanoseconds(1))
            #expect(bench.tokenRequests.count == count + 1)
        }
        #expect(bench.connection.sent.ops == ["hello"])
        bench.token = "t2"
        bench.advance(by: .milliseconds(7500))
        #expect(bench.connection.sent.last?["token"] == "t2")
        let count = bench.tokenRequests.count
        bench.advance(by: .seconds(3000))
        #expect(bench.tokenRequests.count == count)
    }

    @Test func `so it is while there is none, until the time is over`() {
        goLive(heartbeat: 3600)
        bench.token = nil
        // It is asked once, however often the server says so meanwhile.
        bench.say(#"{"op":"renew","within":60}"#, #"{"op":"renew","within":60}"#)
        for tries in 2...9 {
            #expect(bench.tokenRequests.count == min(tries, 8))
            connector.tokenFailed("There is no network.", for: connector.attempt)
            // The next is due when half of what is left is over.
            bench.advance(by: .seconds(60 / Double(1 << (tries - 1))))
        }
        bench.advance(by: .seconds(3000))
        #expect(bench.tokenRequests.count == 8)
        #expect(bench.statuses == [.connecting, .live])
    }

    @Test(arguments: ["-5", "0", "1", "1e300"])
    func `a server may ask for one in no time, or in any`(within: String) {
        goLive(heartbeat: 3600)
        bench.say(#"{"op":"renew","within":\#(within)}"#)
        #expect(bench.tokenRequests.count == 2)
        bench.advance(by: .seconds(3000))
        #expect(bench.tokenRequests.count == 2)
        #expect(bench.statuses.last == .live)
    }

    @Test func `a client without tokens has nothing to show`() {
        goLive(heartbeat: 3600)
        bench.token = nil
        bench.say(#"{"op":"renew","within":60}"#)
        connector.provide(token: nil, for: connector.attempt)
        bench.advance(by: .seconds(100))
        #expect(bench.tokenRequests.count == 2)
        #expect(bench.connection.sent.ops == ["hello"])
    }

    @Test func `one that was asked for before the program has shown another isn't shown`() {
        goLive(heartbeat: 3600)
        bench.token = nil
        bench.say(#"{"op":"renew","within":60}"#)
        connector.authenticate(token: "mine")
        connector.provide(token: "late", for: connector.attempt)
        bench.settle()
        #expect(bench.connection.sent.ops == ["hello", "authenticate"])
        #expect(bench.connection.sent.last?["token"] == "mine")
        bench.advance(by: .seconds(3000))
        #expect(bench.tokenRequests.count == 2)
        // Not even if the server asks for another one before the late one is there.
        bench.say(#"{"op":"renew","within":60}"#)
        connector.authenticate(token: "mine too")
        bench.say(#"{"op":"renew","within":60}"#)
        connector.provide(token: "late, too", for: connector.attempt)
        bench.settle()
        #expect(bench.connection.sent.last?["token"] == "mine too")
        bench.token = "newer"
        bench.advance(by: .seconds(30))
        #expect(bench.connection.sent.last?["token"] == "newer")
    }

    @Test func `one that only looks like the one before is another one`() {
        bench.token = "\u{e9}"
        goLive(heartbeat: 3600)
        bench.token = "e\u{301}"
        bench.say(#"{"op":"renew","within":60}"#)
        #expect(bench.connection.sent.ops == ["hello", "authenticate"])
    }

    @Test func `when the program shows another one, the host isn't asked again`() {
        goLive(heartbeat: 3600)
        bench.say(#"{"op":"renew","within":60}"#)
        connector.authenticate(token: "mine")
        bench.advance(by: .seconds(3000))
        #expect(bench.tokenRequests.count == 2)
        #expect(bench.connection.sent.last?["token"] == "mine")
    }

    @Test func `one that comes after the connection was lost is no answer to the next request`() {
        goLive()
        bench.token = nil
        bench.say(#"{"op":"renew","within":60}"#)
        let attempt = connector.attempt
        bench.lose()
        bench.retry()
        connector.provide(token: "late", for: attempt)
        #expect(bench.connections.count == 1)
        connector.provide(token: "t3", for: connector.attempt)
        bench.welcome()
        #expect(bench.connection.sent.first?["token"] == "t3")
    }

    @Test(arguments: [4003, 4004] as [UInt16])
    func `who is ended as the token has expired, or was revoked, comes back with another`(
        _ code: UInt16
    ) {
        goLive()
        bench.lose(code, "")
        bench.token = "t2"
        bench.retry()
        bench.welcome()
        #expect(bench.connection.sent.first?["token"] == "t2")
    }

    // MARK: Closing

    @Test func `closing while it connects closes the socket, and its opening changes nothing`() {
        start()
        let outcome = bench.dispatch()
        connector.close(nil)
        #expect(bench.connection.closeCode == 1000)
        bench.open()
        bench.lose()
        bench.advance(by: .seconds(600))
        #expect(bench.connections.count == 1)
        #expect(bench.connection.sent.isEmpty)
        #expect(bench.statuses == [.connecting, .closed(nil)])
        #expect(throws: ClientSession.closed) { try outcome.settled?.get() }
    }

    @Test func `closing while it waits ends the wait`() {
        start()
        bench.lose()
        connector.close(nil)
        bench.advance(by: .seconds(600))
        #expect(bench.connections.count == 1)
        #expect(bench.statuses.last == .closed(nil))
    }

    @Test func `closing twice is said once`() {
        goLive()
        connector.close(Rejection(.forbidden, "No."))
        connector.close(nil)
        #expect(bench.statuses.count { if case .closed = $0 { true } else { false } } == 1)
    }

    @Test func `what was closed before it started never connects`() {
        connector.close(nil)
        start()
        bench.advance(by: .seconds(600))
        #expect(bench.tokenRequests.isEmpty)
        #expect(bench.statuses == [.closed(nil)])
    }
}

/// A connector whose dispatches are stored.
struct ConnectorStorageTests {
    private let storage = MemoryOutboxStorage()
    private let bench: ConnectorBench

    init() throws { bench = try Self.bench(storage) }

    private static func bench(_ storage: MemoryOutboxStorage) throws -> ConnectorBench {
        let stored = try StoredOutbox(
            in: storage, room: "/", actions: ActionCatalogue([]), limits: OutboxLimits(),
            client: .ada,
            stamps: {
                ProvisionalStamps(client: $0, sender: .anonymous) { Timestamp(secondsSince1970: 0) }
            })
        return ConnectorBench(ClientSession(outbox: stored.outbox, recorder: stored.recorder))
    }

    private let full = Rejection(.outboxUnwritable, "The disk is full.")
    private let replaced =
        #"{"op":"bye","code":"replaced","title":"R.","reconnect":false,"after":0,"jitter":0}"#

    @Test func `dispatches are stored before there is a connection`() {
        let syncs = storage.syncs
        bench.dispatch()
        #expect(storage.syncs == syncs + 1)
        #expect(storage.unsynced.isEmpty)
    }

    @Test func `what is dispatched while it is suspended is stored when it goes on`() {
        bench.connector.start()
        bench.welcome()
        bench.connector.suspend()
        let syncs = storage.syncs
        bench.dispatch()
        #expect(storage.syncs == syncs)
        bench.connector.resume()
        bench.settle()
        #expect(storage.syncs == syncs + 1)
        bench.welcome()
        #expect(bench.connection.sent.ops == ["hello", "dispatch"])
    }

    @Test func `what can't be stored is tried again every second, and sent when it is stored`() {
        bench.connector.start()
        bench.welcome()
        storage.failure = full
        bench.dispatch()
        #expect(bench.storageProblems == [full])
        bench.advance(by: .seconds(10))
        #expect(bench.connection.sent.ops == ["hello"])
        storage.failure = nil
        bench.advance(by: .seconds(1) - .nanoseconds(1))
        #expect(bench.storageProblems == [full])
        bench.advance(by: .nanoseconds(1))
        #expect(bench.storageProblems == [full, nil])
        #expect(bench.connection.sent.ops == ["hello", "dispatch"])
    }

    @Test func `another problem doesn't make it try twice as often`() {
        storage.failure = full
        bench.dispatch()
        let other = Rejection(.outboxUnwritable, "The disk is gone.")
        storage.failure = other
        bench.advance(by: .seconds(10))
        #expect(bench.storageProblems == [full, other])
        #expect(bench.timerCount == 1)
    }

    /// What replaced it may be an earlier connection of its own that was held up.
    @Test func `who can't number its connections goes on when its second one is replaced`() {
        storage.failure = full
        bench.connector.start()
        bench.welcome()
        #expect(bench.connection.sent.first?["connection"] == nil)
        bench.lose()
        bench.retry()
        bench.welcome()
        bench.say(replaced)
        bench.lose(4104)
        #expect(bench.delay != nil)
        storage.failure = nil
        // The server may still hear late of those without a number.
        for _ in 0..<3 {
            bench.retry()
            bench.welcome()
            #expect(bench.connection.sent.first?["connection"] != nil)
            bench.say(replaced)
            bench.lose(4104)
            #expect(bench.delay != nil)
        }
        bench.retry()
        bench.welcome()
        bench.say(replaced)
        bench.lose(4104)
        #expect(bench.statuses.last == .closed(Rejection(Rejection.Code("replaced"), "R.")))
    }

    /// What replaced it may be a connection of the earlier program that was held up.
    @Test func `who goes on with an outbox and can't number its connections goes on, too`() throws {
        bench.connector.start()
        bench.welcome()
        #expect(bench.connection.sent.first?["connection"] == 1_048_577)
        storage.crash()
        let next = try Self.bench(storage)
        storage.failure = full
        next.connector.start()
        next.welcome()
        #expect(next.connection.sent.first?["connection"] == nil)
        next.say(replaced)
        next.lose(4104)
        #expect(next.delay != nil)
    }

    @Test func `who has made one connection only is stopped by another program with its id`() {
        storage.failure = full
        bench.connector.start()
        bench.welcome()
        bench.say(replaced)
        bench.lose(4104)
        #expect(bench.statuses.last == .closed(Rejection(Rejection.Code("replaced"), "R.")))
    }

    @Test func `closing ends the retries`() {
        storage.failure = full
        bench.dispatch()
        bench.connector.close(nil)
        bench.advance(by: .seconds(10))
        #expect(bench.timerCount == 0)
    }
}
