import StorecastSync
import TestSupport
import Testing

@testable import StorecastMirror

/// What a client shows and says that was started again.
struct MirrorCacheTests {
    private let device = CacheBench()

    private func position(_ version: UInt64, _ epoch: String = "e") -> Position {
        Position(epoch: epoch, version: version)
    }

    // MARK: A start

    @Test func `a cold start shows the value before any connection, and says that it isn't live`() {
        device.runOnce(value: #"{"cups":2}"#)
        let program = device.start()
        let tea = program.mirror("tea")
        #expect(tea.value == ["cups": 2])
        #expect(tea.position == position(3))
        #expect(!tea.isLive)
        #expect(program.session.position == nil, "Nothing was heard of the server.")
    }

    @Test func `a second start transfers no value if nothing has changed`() {
        device.runOnce(value: "[1]")
        let program = device.start()
        let tea = program.mirror("tea")
        program.live(version: 3)
        #expect(program.hello?["seen"] == ["epoch": "e", "v": 3])
        #expect(program.resumptions == [["epoch": "e", "v": 3, "tag": "t"]])
        program.say(currentAt: 3, to: tea)
        #expect(tea.isLive)
        #expect(tea.value == [1])
        #expect(program.bench.reports.isEmpty)
    }

    @Test func `what has changed meanwhile comes as a patch of the value that was kept`() {
        device.runOnce(value: "[1]")
        let program = device.start()
        let tea = program.mirror("tea")
        program.live(version: 5)
        program.subscribed(tea)
        program.bench.say(
            #"""
            {"op":"patch","sub":\#(tea.ref),"from":3,"v":5,
            "ops":[{"op":"add","path":"/-","value":2}]}
            """#)
        #expect(tea.value == [1, 2])
        program.end()
        #expect(device.shown() == [1, 2])
    }

    /// The position that is known, not the version of the last change: a server that was restarted
    /// knows nothing of what was before.
    @Test func `it resumes at the last version at which the value is known to be right`() {
        let first = device.start()
        let tea = first.mirror("tea")
        first.live()
        first.say(snapshot: "1", version: 3, to: tea)
        first.bench.say(#"{"op":"transaction","v":9,"count":0}"#)
        first.end()
        let second = device.start()
        #expect(second.mirror("tea").position == position(9))
        second.live(version: 9)
        #expect(second.resumptions == [["epoch": "e", "v": 9, "tag": "t"]])
    }

    @Test func `hello says the term in which that was`() {
        let first = device.start()
        let tea = first.mirror("tea")
        first.live(term: "t1")
        first.say(snapshot: "1", version: 3, to: tea)
        first.bench.say(#"{"op":"term","term":"t2"}"#)
        first.end()
        let second = device.start()
        second.live(term: "t3")
        #expect(second.hello?["term"] == "t2")
        second.bench.lose()
        second.bench.retry()
        second.bench.open()
        #expect(second.hello?["term"] == "t3")
    }

    /// The server lost the end of the room's history, or it is another one.
    @Test func `the value of a lost history is replaced, and isn't kept any more`() {
        device.runOnce(value: "1", epoch: "e")
        let second = device.start()
        let tea = second.mirror("tea")
        _ = second.mirror("milk")
        second.live(epoch: "f", version: 2)
        #expect(tea.value == 1)
        #expect(!tea.isLive)
        second.say(snapshot: "2", version: 1, to: tea)
        #expect(tea.value == 2)
        #expect(tea.position == position(1, "f"))
        second.end()
        let third = device.start()
        #expect(third.mirror("tea").value == 2)
        third.live(epoch: "f", version: 2)
        #expect(third.hello?["seen"] == ["epoch": "f", "v": 2])
    }

    @Test func `a selection that wasn't mirrored goes with its history`() {
        device.runOnce(epoch: "e")
        let second = device.start()
        let milk = second.mirror("milk")
        second.live(epoch: "f", version: 2)
        second.say(snapshot: "2", version: 1, to: milk)
        second.end()
        #expect(device.shown() == nil)
    }

    @Test func `a value isn't kept as one of the new history before the server has answered`() {
        device.runOnce(epoch: "e")
        let second = device.start()
        let (tea, milk) = (second.mirror("tea"), second.mirror("milk"))
        second.live(epoch: "f", version: 2)
        second.say(snapshot: "2", version: 1, to: milk)
        #expect(tea.value == 1)
        second.end()
        #expect(device.shown() == nil)
        #expect(device.start().mirror("milk").value == 2)
    }

    @Test func `what is of another history than the server's isn't used`() {
        device.runOnce(epoch: "e")
        let second = device.start()
        second.live(epoch: "f", version: 3)
        _ = second.mirror("tea")
        #expect(second.resumptions == [nil])
    }

    @Test func `a value of a selection that was made anew is replaced`() {
        device.runOnce()
        let program = device.start()
        let tea = program.mirror("tea")
        program.live()
        program.say(snapshot: #""new""#, version: 3, to: tea, tag: "other")
        program.end()
        #expect(device.shown() == "new")
    }

    @Test func `selections with other parameters have other values`() {
        let first = device.start()
        let mirrors = [1, 2].map { first.mirror("cup", ["number": $0]) }
        first.live()
        for (place, mirror) in mirrors.enumerated() {
            first.say(snapshot: "\(place)", version: 3, to: mirror)
        }
        first.end()
        let second = device.start()
        #expect(second.mirror("cup", ["number": 2]).value == 1)
        #expect(second.mirror("cup", ["number": 1]).value == 0)
        #expect(second.mirror("cup", ["number": 3]).value == nil)
        #expect(second.mirror("cup").value == nil)
    }

    // MARK: Beside what is live

    /// It may be older than what the others show.
    @Test func `behind the first welcome a value is shown when the server has confirmed it`() {
        device.runOnce()
        let program = device.start()
        program.live()
        let tea = program.mirror("tea")
        var shown: [JSON?] = []
        tea.observers[0] = { shown.append($0.value) }
        #expect(tea.value == nil)
        #expect(program.resumptions == [["epoch": "e", "v": 3, "tag": "t"]])
        program.say(currentAt: 3, to: tea)
        #expect(shown == [1])
        #expect(program.bench.reports.isEmpty)
    }

    @Test func `so it is without a connection, if there was one`() {
        device.runOnce()
        let program = device.start()
        program.live()
        program.bench.lose()
        let tea = program.mirror("tea")
        #expect(tea.value == nil)
        program.bench.retry()
        program.live(version: 4)
        program.subscribed(tea)
        program.bench.say(
            #"""
            {"op":"patch","sub":\#(tea.ref),"from":3,"v":4,
            "ops":[{"op":"replace","path":"","value":2}]}
            """#)
        #expect(tea.value == 2)
    }

    @Test func `so it is for one whose parameters only the server finds equal`() {
        device.runOnce()
        let program = device.start()
        program.live()
        let mirrors = [program.mirror("tea"), program.mirror("tea", [:])]
        for mirror in mirrors {
            program.bench.say(#"{"op":"subscribed","ref":\#(mirror.ref),"sub":5,"tag":"t"}"#)
        }
        #expect(mirrors.map(\.value) == [nil, nil])
        program.bench.say(#"{"op":"current","sub":5,"v":3}"#)
        #expect(mirrors.map(\.value) == [1, 1])
    }

    @Test func `what isn't shown yet isn't lost if the program ends before the answer`() {
        device.runOnce()
        let program = device.start()
        program.live(version: 7)
        _ = program.mirror("tea")
        program.end()
        #expect(device.shown() == 1)
    }

    @Test func `a mirror that loses its connection says that it isn't live`() {
        let program = device.start()
        let tea = program.mirror("tea")
        program.live()
        program.say(snapshot: "1", version: 3, to: tea)
        var lives: [Bool] = []
        tea.observers[0] = { lives.append($0.isLive) }
        program.bench.lose()
        #expect(lives == [false])
    }

    // MARK: Dispatches

    /// The outbox may not know yet that it was settled.
    @Test func `a dispatch that is in the value isn't shown on it again`() {
        let first = device.start()
        let tea = first.mirror("tea")
        first.live()
        first.say(snapshot: "[]", version: 3, to: tea)
        first.bench.dispatch()
        first.bench.say(
            #"{"op":"transaction","v":4,"count":1,"acked":1}"#,
            #"{"op":"snapshot","sub":\#(tea.ref),"v":4,"value":[1]}"#)
        #expect(tea.included == 1)
        first.end()
        #expect(device.start().mirror("tea").included == 1)
        #expect(device.start(client: .bob).mirror("tea").included == 0, "They are others.")
    }

    @Test func `the client's id isn't in it`() {
        device.runOnce()
        #expect(device.kept.contains("tea"))
        #expect(!device.kept.contains(String.ada))
    }

    @Test func `what is dispatched before the first welcome was made there, as without a cache`() {
        device.runOnce(version: 3)
        let program = device.start()
        program.bench.dispatch()
        program.live(version: 8)
        #expect(program.bench.connection.sent.first("dispatch")?["base"] == 8)
    }

    // MARK: Who sees it

    @Test(
        arguments: [
            ("ada", "/", true), ("bob", "/", false), ("", "/", false), ("ada", "/other", false),
            ("ada", "//", true),
        ])
    func `another person is shown nothing, and another room has nothing`(
        _ viewer: String, _ room: String, _ isShown: Bool
    ) {
        device.runOnce()
        #expect((device.shown(viewer: viewer, room: room) != nil) == isShown)
    }

    @Test func `people whose names only look alike are different`() {
        let program = device.start(viewer: "Zo\u{e9}")
        let tea = program.mirror("tea")
        program.live()
        program.say(snapshot: "1", version: 3, to: tea)
        program.end()
        #expect(device.shown(viewer: "Zoe\u{301}") == nil)
        #expect(device.shown(viewer: "Zo\u{e9}") == 1)
    }

    @Test func `the next person takes the place of the one before`() {
        device.runOnce()
        let program = device.start(viewer: "bob", client: .bob)
        let milk = program.mirror("milk")
        program.live()
        #expect(program.hello?["seen"] == nil)
        program.say(snapshot: "2", version: 3, to: milk)
        program.end()
        #expect(!device.kept.contains("tea"))
        #expect(device.shown() == nil)
    }

    @Test(arguments: [#""op":"lapse","sub":"#, #""op":"error","title":"No.","ref":"#])
    func `what may not be seen any more goes at once`(_ refusal: String) {
        device.runOnce()
        let program = device.start()
        let (tea, milk) = (program.mirror("tea"), program.mirror("milk"))
        program.live()
        program.say(snapshot: "2", version: 3, to: milk)
        if refusal.contains("lapse") { program.subscribed(tea) }
        program.bench.say(#"{\#(refusal)\#(tea.ref),"code":"forbidden"}"#)
        #expect(tea.failure?.code == .forbidden)
        #expect(!device.kept.contains("tea"))
        #expect(device.kept.contains("milk"))
        program.end()
        #expect(device.shown() == nil)
    }

    @Test func `who may not enter the room any more keeps nothing of it`() {
        device.runOnce()
        let program = device.start()
        program.bench.open()
        program.bench.say(
            #"""
            {"op":"bye","code":"forbidden","title":"No.","reconnect":false,"after":0,"jitter":0}
            """#)
        program.bench.lose(4102)
        #expect(device.storage.text == nil)
    }

    @Test func `a token that has expired takes nothing away`() {
        device.runOnce()
        let program = device.start()
        program.bench.open()
        program.bench.lose(4101)
        #expect(device.shown() == 1)
    }

    @Test func `wiped, it is gone, and nothing is kept any more`() throws {
        device.runOnce()
        let program = device.start()
        let tea = program.mirror("tea")
        program.live()
        program.say(snapshot: "2", version: 3, to: tea)
        try program.session.wipeCache()
        #expect(device.storage.text == nil)
        program.say(snapshot: "3", version: 4, to: tea)
        program.bench.advance(by: .seconds(60))
        program.end()
        #expect(device.storage.text == nil)
        #expect(tea.value == 3)
    }

    @Test func `so it is when the connection is closed already`() throws {
        let program = device.start()
        let tea = program.mirror("tea")
        program.live()
        program.say(snapshot: "1", version: 3, to: tea)
        program.end()
        #expect(device.storage.text != nil)
        try program.session.wipeCache()
        #expect(device.storage.text == nil)
    }

    @Test func `what can't be wiped is said`() {
        device.runOnce()
        let program = device.start()
        let failure = Rejection(.cacheUnwritable, "No.")
        device.storage.failure = failure
        #expect(throws: failure) { try program.session.wipeCache() }
    }
}
