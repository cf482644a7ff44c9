import StorecastSync
import TestSupport
import Testing

@testable import StorecastMirror

/// What a client makes of a value in parts, and what it doesn't take from a server.
struct PartedValueTests {
    private let bench = ConnectorBench()
    private let mirror: Mirror
    private var session: ClientSession { bench.session }

    init() {
        mirror = bench.session.mirror("tea", nil)
        mirror.observers[0] = { _ in }
        bench.connector.start()
        open()
    }

    private func say(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { session.receive($0) }
    }

    private func open(parts: String = #","parts":1"#) {
        bench.open()
        bench.say(TestSupport.welcome().dropLast() + parts + "}")
        subscribed(mirror)
    }

    private func subscribed(_ mirror: Mirror, sub: Int = 1) {
        bench.say(#"{"op":"subscribed","ref":\#(mirror.ref),"sub":\#(sub),"tag":"t\#(sub)"}"#)
    }

    @Test func `a client says that it takes parts, unless it takes no value in parts`() {
        #expect(bench.connection.sent.first("hello")?["parts"] == 1)
        session.largestValue = 0
        bench.lose()
        bench.retry()
        bench.open()
        #expect(bench.connection.sent.first("hello")?["parts"] == nil)
    }

    @Test func `nothing is shown before the message behind the last part`() {
        var shown: [JSON?] = []
        mirror.observers[0] = { shown.append($0.value) }
        for text in ["1 1 0 6 [1", "1 1 2 6 ,2", "1 1 4 6 3]"] { #expect(say(text)) }
        #expect(mirror.value == nil && !mirror.isLive && shown.isEmpty)
        #expect(say(#"{"op":"current","sub":1,"v":1}"#))
        #expect(shown == [[1, 23]])
        #expect(mirror.isLive && mirror.position?.version == 1)
    }

    @Test func `a patch behind the last part goes on from it, also in a transaction`() {
        var shown: [JSON?] = []
        mirror.observers[0] = { shown.append($0.value) }
        #expect(say("1 1 0 3 [1]"))
        #expect(say(#"{"op":"transaction","v":4,"count":1}"#))
        #expect(
            say(
                #"{"op":"patch","sub":1,"from":1,"v":3,"ops":[{"op":"add","path":"/0","value":0}]}"#
            ))
        #expect(shown == [[0, 1]])
        #expect(mirror.position?.version == 4)
    }

    @Test func `a snapshot behind the last part takes its place`() {
        #expect(say("1 1 0 3 [1]"))
        #expect(say(#"{"op":"snapshot","sub":1,"v":5,"value":2}"#))
        #expect(mirror.value == 2)
        #expect(session.parted == nil)
    }

    @Test func `the old value is shown while another comes, and replaced at once`() {
        #expect(say(#"{"op":"snapshot","sub":1,"v":1,"value":"old"}"#))
        bench.lose()
        bench.retry()
        open()
        #expect(say("1 2 0 5 \"new"))
        #expect(mirror.value == "old")
        #expect(say("1 2 4 5 \""))
        #expect(mirror.value == "old")
        #expect(say(#"{"op":"current","sub":1,"v":2}"#))
        #expect(mirror.value == "new")
    }

    @Test func `what came of a value is forgotten with the connection`() {
        #expect(say("1 1 0 6 [1"))
        bench.lose()
        bench.retry()
        open()
        #expect(session.parted == nil)
        #expect(say("1 1 0 3 [1]"))
        #expect(say(#"{"op":"current","sub":1,"v":1}"#))
        #expect(mirror.value == [1])
    }

    @Test(arguments: [
        // Repeated, missing, in the wrong order, of another value or size; empty, endless.
        ["1 1 0 6 [1", "1 1 0 6 [1"], ["1 1 0 6 [1", "1 1 3 6 1]"], ["1 1 2 6 ,2"],
        ["1 1 0 6 [1", "2 1 2 6 ,2"], ["1 1 0 6 [1", "1 2 2 6 ,2"], ["1 1 0 6 [1", "1 1 2 7 ,2"],
        ["1 1 0 6 [1", "1 1 2 6 "], ["1 1 0 0 "], ["1 1 0 3 [1]", "1 1 3 3 x"],
        ["1 1 0 3 [1]", "1 1 0 3 [1]"], ["1 1 0 2 [1]"], ["1 1 0 3 [1}"], ["1 1 [1]"],
        // In the middle of something else, or that in the middle of it.
        [#"{"op":"transaction","v":2,"count":1}"#, "1 1 0 3 [1]"],
        ["1 1 0 6 [1", #"{"op":"current","sub":1,"v":1}"#],
        ["1 1 0 6 [1", #"{"op":"snapshot","sub":1,"v":1,"value":1}"#],
        ["1 1 0 6 [1", "2 1 0 3 [1]"],
    ])
    func `what a server that keeps to the protocol doesn't say ends the connection`(
        messages: [String]
    ) {
        for text in messages.dropLast() { bench.say(text) }
        #expect(bench.reports.isEmpty)
        bench.say(messages[messages.count - 1])
        #expect(bench.reports.count == 1)
        #expect(bench.connection.closeCode != nil)
        #expect(mirror.value == nil)
        bench.retry()
        open()
        bench.say("1 1 0 3 [1]")
        bench.say(#"{"op":"current","sub":1,"v":1}"#)
        #expect(mirror.value == [1])
    }

    @Test func `a server that hasn't said so sends no parts, and none of another form`() {
        for parts in ["", #","parts":2"#] {
            bench.lose()
            bench.retry()
            let reports = bench.reports.count
            open(parts: parts)
            bench.say("1 1 0 3 [1]")
            #expect(bench.reports.count == reports + 1)
            #expect(bench.connection.closeCode != nil)
        }
    }

    @Test func `a value that is too large fails its mirror, and no other`() {
        session.largestValue = 3
        let other = session.mirror("milk", nil)
        other.observers[0] = { _ in }
        bench.connector.scheduleFlush()
        bench.settle()
        subscribed(other, sub: 2)
        bench.say("1 1 0 4 [1")
        #expect(mirror.failure?.code == .tooLarge)
        bench.connector.scheduleFlush()
        bench.settle()
        #expect(bench.connection.sent.last?.op == "unsubscribe")
        #expect(bench.connection.sent.last?["ref"]?.uint64 == mirror.ref)
        // What was on its way is passed over.
        bench.say("1 1 2 4 2]")
        bench.say(#"{"op":"current","sub":1,"v":1}"#)
        bench.say("2 1 0 3 [1]")
        bench.say(#"{"op":"current","sub":2,"v":1}"#)
        #expect(other.value == [1])
        #expect(mirror.value == nil && bench.reports.isEmpty)
    }

    @Test(arguments: 0...2)
    func `who ends a subscription passes over what is on its way`(cut: Int) {
        let messages = ["1 1 0 6 [1", "1 1 2 6 ,2", "1 1 4 6 3]"]
        for text in messages.prefix(cut) { bench.say(text) }
        mirror.observers = [:]
        session.release(mirror)
        let other = session.mirror("milk", nil)
        other.observers[0] = { _ in }
        // Of which the server sent this before it heard that.
        for text in messages.dropFirst(cut).prefix(1) { bench.say(text) }
        subscribed(other, sub: 2)
        bench.say("2 1 0 3 [1]")
        bench.say(#"{"op":"current","sub":2,"v":1}"#)
        #expect(other.value == [1])
        #expect(bench.reports.isEmpty)
    }

    @Test func `a lapse ends the parts, and the next value may begin`() {
        bench.say("1 1 0 6 [1")
        bench.say(#"{"op":"lapse","sub":1,"code":"renewed"}"#)
        subscribed(mirror, sub: 2)
        bench.say("2 1 0 3 [1]")
        bench.say(#"{"op":"current","sub":2,"v":1}"#)
        #expect(mirror.value == [1])
        #expect(bench.reports.isEmpty)
    }

    @Test func `a mirror that comes to share the subscription has the value too`() {
        let other = session.mirror("tea", ["more": true])
        other.observers[0] = { _ in }
        bench.say("1 1 0 6 [1")
        mirror.observers = [:]
        session.release(mirror)
        subscribed(other)
        bench.say("1 1 2 6 ,2")
        bench.say("1 1 4 6 3]")
        bench.say(#"{"op":"current","sub":1,"v":1}"#)
        #expect(other.value == [1, 23])
        #expect(bench.reports.isEmpty)
    }
}
