import StorecastSync
import TestSupport
import Testing

@testable import StorecastMirror

/// What a server may say to a client session, and what the session doesn't take from it.
struct HostileServerTests {
    private let bench = ConnectorBench()
    private var session: ClientSession { bench.session }

    init() {
        bench.connector.start()
        bench.open()
    }

    private func say(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { session.receive($0) }
    }

    private func welcome() -> Bool { say(TestSupport.welcome()) }

    private func follow() -> Mirror {
        let mirror = session.mirror("tea", nil)
        mirror.observers[0] = { _ in }
        #expect(welcome())
        #expect(say(#"{"op":"subscribed","ref":\#(mirror.ref),"sub":1,"tag":"t"}"#))
        return mirror
    }

    @Test func `a transaction without end keeps one part for each mirror`() {
        let mirror = follow()
        #expect(say(#"{"op":"transaction","v":2,"count":9007199254740991}"#))
        for sub in 2...100 {
            #expect(say(#"{"op":"snapshot","sub":\#(sub),"v":2,"value":[1,2,3]}"#))
        }
        #expect(session.transaction?.parts.isEmpty == true)
        #expect(say(#"{"op":"snapshot","sub":1,"v":2,"value":1}"#))
        #expect(session.transaction?.parts.count == 1)
        #expect(!say(#"{"op":"snapshot","sub":1,"v":2,"value":2}"#))
        #expect(bench.reports.count == 1)
        #expect(mirror.value == nil)
    }

    /// Wherever one connection is cut, the next begins anew.
    @Test(arguments: 0...8)
    func `nothing that was half said counts on the next connection`(cut: Int) {
        let mirrors = ["tea", "milk"].map { session.mirror($0, nil) }
        for mirror in mirrors { mirror.observers[0] = { _ in } }
        let patch = #""from":1,"v":2,"ops":[{"op":"replace","path":"","value":2}]"#
        // Each connection has other refs.
        let said = {
            [
                TestSupport.welcome(),
                #"{"op":"subscribed","ref":\#(mirrors[0].ref),"sub":1,"tag":"t"}"#,
                #"{"op":"subscribed","ref":\#(mirrors[1].ref),"sub":2,"tag":"m"}"#,
                #"{"op":"snapshot","sub":1,"v":1,"value":1}"#,
                #"{"op":"snapshot","sub":2,"v":1,"value":1}"#,
                #"{"op":"transaction","v":2,"count":2}"#, #"{"op":"patch","sub":1,\#(patch)}"#,
                #"{"op":"patch","sub":2,\#(patch)}"#,
            ]
        }
        for text in said().prefix(cut) { bench.say(text) }
        #expect(
            mirrors.map(\.value) == (cut == 8 ? [2, 2] : [cut > 3 ? 1 : nil, cut > 4 ? 1 : nil]))
        bench.lose()
        bench.retry()
        bench.open()
        for text in said() { bench.say(text) }
        #expect(bench.reports.isEmpty)
        #expect(bench.statuses.last == .live)
        #expect(mirrors.map(\.value) == [2, 2])
    }

    /// The outcome waits for every mirror to show it; one that is refused shows nothing any more.
    @Test func `a selection that is refused holds no outcome back`() {
        let mirror = session.mirror("tea", nil)
        mirror.observers[0] = { _ in }
        bench.say(TestSupport.welcome())
        bench.say(#"{"op":"subscribed","ref":\#(mirror.ref),"sub":1,"tag":"t"}"#)
        bench.say(#"{"op":"snapshot","sub":1,"v":1,"value":1}"#)
        let outcome = bench.dispatch()
        bench.lose()
        bench.retry()
        bench.welcome(lastSeq: 1)
        #expect(outcome.settled == nil)
        bench.say(#"{"op":"error","code":"forbidden","title":"No.","ref":\#(mirror.ref)}"#)
        #expect(mirror.failure?.code == .forbidden)
        #expect(outcome.settled != nil)
    }

    @Test func `a second welcome ends the connection`() {
        #expect(welcome())
        #expect(!welcome())
        #expect(bench.reports == ["The server said welcome twice."])
    }

    @Test func `a hold that is said again and again is one hold`() {
        #expect(welcome())
        bench.dispatch()
        let timers = bench.timerCount
        for _ in 1...5 {
            #expect(
                say(
                    #"{"op":"reject","seq":1,"code":"x","title":"X","retryable":true,"retryAfter":9}"#
                ))
        }
        #expect(bench.timerCount == timers + 1)
    }

    @Test func `a value that copies make huge is asked for anew`() {
        let mirror = follow()
        let text = String(repeating: "x", count: 1000)
        #expect(say(#"{"op":"snapshot","sub":1,"v":1,"value":["\#(text)"]}"#))
        var version: UInt64 = 1
        // Each makes it twice as large, in 60 bytes.
        while mirror.sub != nil, version < 40 {
            let patch = #"[{"op":"copy","from":"","path":"/0"}]"#
            #expect(
                say(
                    #"{"op":"patch","sub":1,"from":\#(version),"v":\#(version + 1),"ops":\#(patch)}"#
                ))
            version += 1
        }
        // 1,000 bytes times 2^16 are the first that are more than 64 MiB.
        #expect(version == 18)
        #expect(mirror.value == nil)
        #expect(bench.reports.count == 1)
    }
}
