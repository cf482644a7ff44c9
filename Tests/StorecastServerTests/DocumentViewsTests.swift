import TestSupport
import Testing

@testable import StorecastRoom
@testable import StorecastServer
@testable import StorecastSync
@testable import StorecastWire

/// What subscribers of paths are sent is what evaluating and comparing every path would send.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct DocumentViewsTests {
    // The last ones found mistakes that the others don't.
    @Test(arguments: Array(0..<40) + [385, 479, 515] as [UInt64])
    func `every path has at any time what a look at the document finds`(seed: UInt64) throws {
        var stage = DocumentStage(seed: seed)
        for _ in 0..<60 { try stage.turn() }
        #expect(stage.rejections > 0 && stage.updates > 0)
    }

    @Test func `an edit is the patch of the paths above it, from there on`() throws {
        let room = DocumentRoom(["a": ["b": ["c": 1, "d": .string(.long)], "e": .string(.long)]])
        let whole = try room.subscribe(.at(""))
        let part = try room.subscribe(.at("/a/b"))
        let leaf = try room.subscribe(.at("/a/b/c"))
        let beside = try room.subscribe(.at("/a/e"))
        try room.dispatch(SetValue(path: .at("/a/b/c"), value: 5))
        #expect(try whole.hear() == #"[{"op":"replace","path":"/a/b/c","value":5}]"#)
        #expect(try part.hear() == #"[{"op":"replace","path":"/c","value":5}]"#)
        // Shorter than the patch.
        #expect(try leaf.hear() == "5")
        #expect(try beside.hear() == nil)
        try room.dispatch(RemoveValue(path: .at("/a/b")))
        #expect(try whole.hear() == #"[{"op":"remove","path":"/a/b"}]"#)
        #expect(try part.hear() == "null" && leaf.hear() == "null")
        try room.dispatch(MergeValue(path: .at("/a"), value: ["b": ["x": .null, "d": 3], "f": 4]))
        #expect(
            try whole.hear()
                == #"[{"op":"add","path":"/a/b","value":{"d":3}},"#
                + #"{"op":"add","path":"/a/f","value":4}]"#)
    }

    @Test func `what is done to one place in a turn is one operation, or none`() throws {
        let room = DocumentRoom(["n": 1, "text": .string(.long), "list": [1, 2, 3]])
        let whole = try room.subscribe(.at(""))
        let list = try room.subscribe(.at("/list"))
        try room.dispatch(IncrementValue(path: .at("/n")), IncrementValue(path: .at("/n"), by: 7))
        #expect(try whole.hear() == #"[{"op":"replace","path":"/n","value":9}]"#)
        try room.dispatch(IncrementValue(path: .at("/n")), IncrementValue(path: .at("/n"), by: -1))
        #expect(try whole.hear() == nil)
        try room.dispatch(
            SetValue(path: .at("/new"), value: [:]), SetValue(path: .at("/new/x"), value: 1),
            RemoveValue(path: .at("/new")))
        #expect(try whole.hear() == nil)
        try room.dispatch(
            RemoveValue(path: .at("/list/2")), AppendValue(path: .at("/list"), value: 3))
        #expect(try whole.hear() == nil && list.hear() == nil)
        try room.dispatch(
            RemoveValue(path: .at("/list/0")), AppendValue(path: .at("/list"), value: 4))
        #expect(
            try whole.hear()
                == #"[{"op":"remove","path":"/list/0"},{"op":"add","path":"/list/2","value":4}]"#)
    }

    @Test func `what takes the place of a removed element is another one`() throws {
        let room = DocumentRoom(["list": [1, 2, 3, .string(.long)]])
        let list = try room.subscribe(.at("/list"))
        try room.dispatch(
            RemoveValue(path: .at("/list/0")), SetValue(path: .at("/list/0"), value: 5),
            RemoveValue(path: .at("/list/0")), RemoveValue(path: .at("/list/0")))
        #expect(
            try list.hear()
                == #"[{"op":"remove","path":"/0"},{"op":"replace","path":"/0","value":5},"#
                + #"{"op":"remove","path":"/0"},{"op":"remove","path":"/0"}]"#)
        #expect(list.value == room.value(at: list.path))
    }

    @Test func `a value that is replaced is compared with what it was`() throws {
        let room = DocumentRoom(["a": ["x": 1, "y": .string(.long)], "b": .string(.long)])
        let whole = try room.subscribe(.at(""))
        try room.dispatch(SetValue(path: .at("/a"), value: ["y": .string(.long), "x": 2]))
        #expect(try whole.hear() == #"[{"op":"replace","path":"/a/x","value":2}]"#)
        try room.dispatch(SetValue(path: .at("/a"), value: ["x": 2.0, "y": .string(.long)]))
        #expect(try whole.hear() == nil)
    }

    @Test func `edits are in place while paths are subscribed to`() throws {
        let room = DocumentRoom(["map": .object(JSONObject((0..<100).map { ("\($0)", 0) }))])
        let whole = try room.subscribe(.at(""))
        let one = try room.subscribe(.at("/map/7"))
        // The first document belongs to the room's definition.
        try room.dispatch(SetValue(path: .at("/map/7"), value: "x"))
        #expect(try whole.hear() != nil && one.hear() != nil)
        let place = room.place(of: "map")
        for number in 1...3 as ClosedRange<Int64> {
            try room.dispatch(SetValue(path: .at("/map/7"), value: .int(number)), Nothing())
            try room.dispatch(Nothing())
            #expect(try whole.hear() != nil && one.hear() != nil)
        }
        #expect(room.place(of: "map") == place)
    }

    @Test func `a path that is longer than any document is deep is refused`() throws {
        let room = DocumentRoom(["a": ["a": 1]])
        let long = String(repeating: "/a", count: JSONRoom.deepestDocument)
        #expect(try room.subscribe(.at(long)).value == .null)
        let refusal = #expect(throws: Rejection.self) {
            _ = try room.subscribe(.at(long + "/a"))
        }
        #expect(refusal?.code == .invalidParameters)
        #expect(refusal?.detail == "A path may have 56 steps.")
    }

    @Test func `what a turn leaves behind is brought up in the next, and told then`() throws {
        var limits = SyncLimits()
        limits.turnWork = 3000
        let room = DocumentRoom(["a": .string(.long)], limits: limits)
        let paths = (0..<8).map { "/a" + String(repeating: "/0", count: $0) }
        let mirrors = try paths.map { try room.subscribe(.at($0)) }
        func nested(_ text: String) -> JSON {
            (0..<8).reduce(.string(text)) { inner, _ in [inner, .string(.long)] }
        }
        try room.dispatch(SetValue(path: .at("/a"), value: nested("x")))
        #expect(room.views.areBehind)
        // Some are told, one after the other; the others know that they are behind.
        #expect(mirrors.contains { !$0.isTold })
        #expect(mirrors.allSatisfy { $0.isTold || $0.subscription.group.isBehind })
        // Meanwhile the document goes on.
        try room.dispatch(SetValue(path: .at("/a"), value: nested("y")))
        var turns = 0
        while room.views.areBehind, turns < 20 {
            room.views.catchUp()
            turns += 1
        }
        #expect(turns > 1 && turns < 20)
        for (path, mirror) in zip(paths, mirrors) {
            try mirror.take()
            let pointer = try JSONPointer(parsing: path)
            #expect(mirror.value == room.document.value.value(at: pointer))
            #expect(mirror.subscription.group.size == mirror.value.encodedSize)
        }
        #expect(mirrors.contains { $0.catchUps > 0 })
    }

    @Test func `edits are in place while a large value waits for many turns`() throws {
        let room = DocumentRoom(["list": .large, "map": ["": .string(.huge)]])
        let list = try room.subscribe(.at("/list"))
        let map = try room.subscribe(.at("/map"))
        room.views.holdsLarge = { true }
        func turn(_ number: Int64) throws {
            try room.dispatch(
                RemoveValue(path: .at("/list/0")),
                SetValue(path: .at("/map/a"), value: [1, .int(number)]))
        }
        // The first document belongs to the room's definition.
        try turn(0)
        let places = (room.place(of: "list"), room.place(of: "map"))
        for number in 1...20 as ClosedRange<Int64> { try turn(number) }
        #expect(room.place(of: "list") == places.0 && room.place(of: "map") == places.1)
        #expect(list.subscription.group.isBehind && map.subscription.group.isBehind)
        room.views.holdsLarge = { false }
        while room.views.areBehind { room.views.catchUp() }
        #expect(try list.hear()?.hasPrefix(#"[{"op":"remove","path":"/0"},"#) == true)
        #expect(try map.hear()?.hasPrefix(#"[{"op":"add","path":"/a","value":[1,0]},"#) == true)
        for mirror in [list, map] { #expect(mirror.value == room.value(at: mirror.path)) }
    }

    @Test func `however much changes in one turn, its steps are the patch`() throws {
        let lists = JSON.object(JSONObject((0..<20).map { ("\($0)", .large) }))
        let room = DocumentRoom(lists)
        let whole = try room.subscribe(.at(""))
        let inner = try (0..<20).map { try room.subscribe(.at("/\($0)/3")) }
        let removals = (0..<20).map { RemoveValue(path: .at("/\($0)/0")) }
        try #require(room.turn([removals]) == 0)
        let heard = try #require(try whole.hear())
        #expect(heard.hasPrefix(#"[{"op":"remove","path":"/0/0"},"#) && heard.utf8.count < 1000)
        for mirror in inner { #expect(try mirror.hear() == "4") }
        #expect(whole.value == room.document.value)
    }

    @Test func `a value is replaced if finding what changed would keep many past documents`() throws
    {
        let room = DocumentRoom(["list": .large])
        let list = try room.subscribe(.at("/list"))
        // Whoever looks at an element needs the arrays of before and after.
        let element = try room.subscribe(.at("/list/7"))
        room.views.holdsLarge = { true }
        for _ in 0..<9 { try room.dispatch(RemoveValue(path: .at("/list/0"))) }
        let place = room.place(of: "list")
        for _ in 0..<3 { try room.dispatch(RemoveValue(path: .at("/list/0"))) }
        #expect(room.place(of: "list") == place)
        room.views.holdsLarge = { false }
        while room.views.areBehind { room.views.catchUp() }
        #expect(try element.hear() == "19")
        try list.take()
        #expect(list.value == room.value(at: list.path))
        #expect(list.subscription.group.size == list.value.encodedSize)
    }

    @Test func `who leaves what is behind finds it right when they come back`() throws {
        var limits = SyncLimits()
        limits.turnWork = 1
        let room = DocumentRoom(["a": 1, "b": 1], limits: limits)
        let first = try room.subscribe(.at("/a"))
        let second = try room.subscribe(.at("/b"))
        try room.dispatch(
            SetValue(path: .at("/a"), value: 2), SetValue(path: .at("/b"), value: 2))
        #expect(room.views.areBehind)
        room.leave(second)
        room.views.catchUp()
        #expect(!room.views.areBehind)
        let again = try room.subscribe(.at("/b"))
        #expect(again.value == 2 && first.isTold)
    }

    @Test func `the log tells of actions only as long as a path is subscribed to`() throws {
        let room = DocumentRoom(["a": 1])
        #expect(room.log.willChange == nil)
        let first = try room.subscribe(.at("/a"))
        let second = try room.subscribe(.at("/b"))
        room.leave(first)
        #expect(room.log.willChange != nil)
        room.leave(second)
        #expect(room.log.willChange == nil)
        try room.dispatch(SetValue(path: .at("/a"), value: 2))
        let again = try room.subscribe(.at("/a"))
        #expect(again.value == 2)
        try room.dispatch(SetValue(path: .at("/a"), value: 3))
        #expect(try again.hear() == "3")
    }
}

extension String {
    fileprivate static let long = String(repeating: "long ", count: 50)
    /// A value that is no small one.
    fileprivate static let huge = String(repeating: "long ", count: 4000)
}

extension JSON {
    /// An array of which the same holds.
    fileprivate static let large = JSON.array((0..<5000).map { .int($0) })
}

extension JSONPath {
    /// The path that a test's own text says.
    fileprivate static func at(_ text: String) -> JSONPath {
        JSONPath((try? JSONPointer(parsing: text)) ?? JSONPointer([text]))
    }
}

/// An action that changes nothing.
private struct Nothing: SyncAction {}

/// A ``JSONRoom`` without I/O: its log and its selections, and who subscribes.
private final class DocumentRoom {
    let log: RoomLog<SharedDocument>
    let views: Views<SharedDocument>
    private let host = QuietHost()
    private var seq: UInt64 = 0

    init(_ initial: JSON, limits: SyncLimits = SyncLimits()) {
        log = RoomLog(
            JSONRoom.definition(initial: initial).revertible(), limits: limits, failed: { _ in })
        views = Views(
            log, name: "test", limits: limits, isClosed: false, host: host,
            unruled: UnruledNames(of: "test", host: host), failed: { _ in })
    }

    var document: SharedDocument { log.store.state }

    /// What a look at the document finds.
    func value(at path: JSONPath) -> JSON {
        JSONRoom.value.evaluate(document, JSONPlace(path: path), .anonymous)
    }

    /// Where a member of the document is in memory.
    func place(of member: String) -> UnsafeRawPointer? {
        switch document.value[member] {
        case .object(let members): members.slots.withUnsafeBytes(\.baseAddress)
        case .array(let elements): elements.withUnsafeBytes(\.baseAddress)
        default: nil
        }
    }

    /// A turn of dispatches of several actions each; how many are rejected.
    func turn(_ dispatches: [[any SyncAction]]) -> Int {
        let before = log.version
        var rejections = 0
        for actions in dispatches {
            seq += 1
            let entry = JournalEntry(
                client: "client", seq: seq, base: log.version, settled: seq - 1,
                sender: .anonymous, time: Timestamp(secondsSince1970: 0), seed: 0,
                actions: actions)
            if case .rejected = log.apply(entry, at: log.offset + 1) { rejections += 1 }
        }
        if log.version != before { views.evaluate() }
        return rejections
    }

    /// A turn of one action each, which aren't rejected.
    func dispatch(_ actions: any SyncAction...) throws {
        try #require(turn(actions.map { [$0] }) == 0)
    }

    /// A subscriber who has the value; it had one before at `position` perhaps.
    func subscribe(_ path: JSONPath, from earlier: Subscriber? = nil) throws -> Subscriber {
        let params: JSON = ["path": .string("\(path.pointer)")]
        let group = try views.group(
            for: "value", JSONDocument("\(params)").root, viewer: .anonymous)
        let subscriber = Subscriber(path, group, earlier)
        try subscriber.take()
        return subscriber
    }

    func leave(_ subscriber: Subscriber) {
        let group = subscriber.subscription.group
        group.remove(subscriber.subscription)
        subscriber.left = log.version
        if group.subscriptions.isEmpty { _ = views.release(group) }
    }
}

private final class QuietHost: RoomHost {
    var now: Duration { .zero }
    func schedule(after delay: Duration, _ work: @escaping () -> Void) {}
    func report(_ message: String) { Issue.record("\(message)") }
}

/// A client's mirror of one path.
private final class Subscriber: SelectionSubscriber {
    let path: JSONPath
    /// How often it was told that its group isn't behind any more.
    private(set) var catchUps = 0
    private(set) var subscription: ServerSubscription!
    private(set) var value: JSON = .null
    private(set) var isTold = false
    /// The room's version when it left.
    var left: UInt64 = 0

    let identity = Identity.anonymous
    let permitted: Permitted<SelectionGroup>

    init(_ path: JSONPath, _ permitted: Permitted<SelectionGroup>, _ earlier: Subscriber?) {
        let group = permitted.value
        self.path = path
        self.permitted = permitted
        subscription = ServerSubscription(of: self, permitted)
        group.add(subscription)
        if let earlier {
            value = earlier.value
            subscription.position = group.resumption(at: earlier.left)
        }
    }

    func queue(_ subscription: ServerSubscription) { isTold = true }

    func caughtUp() { catchUps += 1 }
    func skipped(to version: UInt64) {}

    func lapse(_ subscription: ServerSubscription, _ code: String) { Issue.record("\(code)") }

    /// Takes what there is; returns its operations, or its value if that is shorter.
    @discardableResult
    func take() throws -> JSON? {
        isTold = false
        guard let message = try subscription.nextMessage() else { return nil }
        let frame = try JSONDocument(Array(message.text)).root
        if let snapshot = frame["value"] {
            value = snapshot.json
            return value
        }
        let operations = try #require(frame["ops"])
        try JSONPatch(reading: operations).apply(to: &value)
        return operations.json
    }

    /// The text of the operations or of the value that came, if any did.
    func hear() throws -> String? { isTold ? try take().map { "\($0)" } : nil }
}

/// Random edits, and random subscribers with what they were last sent.
private struct DocumentStage {
    private var random: SeededGenerator
    /// Chooses how much is done in a turn.
    private var pace: SeededGenerator
    private let room: DocumentRoom
    private var subscribers: [Subscriber] = []
    /// How many there are at most.
    private let crowd: Int
    private var gone: [Subscriber] = []
    private(set) var rejections = 0
    private(set) var updates = 0

    private static let names = [
        "a", "b", "c", "\u{e9}", "e\u{301}", "~", "/", "~1", "0", "1", "-", "", "\"\u{1}",
    ]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        crowd = 2 + random.below(11)
        var limits = SyncLimits()
        limits.lingeringGroups = random.below(4)
        limits.historyBytes = random.below(3) == 0 ? 40 : 1000
        // A few paths a turn, or all of them.
        pace = SeededGenerator(seed: seed &+ 1 << 32)
        if pace.below(3) == 0 { limits.turnWork = 1 + pace.below(4000) }
        room = DocumentRoom(Self.document(&random), limits: limits)
    }

    private static func document(_ random: inout SeededGenerator) -> JSON {
        var document = JSON.object([:])
        for _ in 0..<6 { document[name(&random)] = value(&random, depth: 3) }
        return document
    }

    mutating func turn() throws {
        if subscribers.count < crowd { try subscribe() }
        if random.below(6) == 0, !subscribers.isEmpty {
            let leaver = subscribers.remove(at: random.below(subscribers.count))
            room.leave(leaver)
            gone.append(leaver)
        }
        let before = room.document
        rejections += room.turn(dispatches())
        let isAgain = pace.below(4) == 0
        if isAgain { rejections += room.turn(dispatches()) }
        while room.views.areBehind { room.views.catchUp() }
        for subscriber in subscribers { try check(subscriber, before, isAgain) }
    }

    /// - Parameter isAgain: whether there were two turns, so that something may be as it was.
    private mutating func check(
        _ subscriber: Subscriber, _ before: SharedDocument, _ isAgain: Bool
    ) throws {
        let expected = room.value(at: subscriber.path)
        let path = subscriber.path.pointer
        let isChanged = before.value.value(at: path) != expected
        try #require(
            subscriber.isTold == isChanged || subscriber.isTold && isAgain,
            "\(path): \(before.value) → \(room.document.value)")
        if subscriber.isTold {
            updates += 1
            try subscriber.take()
        }
        try #require(
            subscriber.value == expected, "\(path): \(before.value) → \(room.document.value)")
        let group = subscriber.subscription.group
        try #require(group.size == expected.encodedSize, "\(path) \(expected)")
        let frame = try JSONDocument(Array(subscriber.permitted.message(from: nil).text)).root
        try #require(frame["value"]?.json == expected)
        try #require(room.document.size == room.document.value.encodedSize)
    }

    private mutating func subscribe() throws {
        // Somebody who comes back, or somebody new.
        let earlier = gone.isEmpty || random.below(2) == 0 ? nil : gone.removeLast()
        let subscriber = try room.subscribe(earlier?.path ?? path(), from: earlier)
        try #require(subscriber.value == room.value(at: subscriber.path))
        subscribers.append(subscriber)
    }

    // MARK: Random edits

    private mutating func dispatches() -> [[any SyncAction]] {
        // Where several edits of a turn meet.
        let places = (0..<2).map { _ in inner() }
        let before = room.document
        if (before.value.object?.count ?? 0) < 3 {
            return [[SetValue(path: .at(""), value: Self.document(&random))]]
        }
        return (0..<random.below(5)).map { _ -> [any SyncAction] in
            if random.below(20) == 0 { return [revert(to: before)] }
            return (0..<(random.below(6) == 0 ? 3 : 1)).map { _ in
                edit(at: random.below(2) == 0 ? inner() : places[random.below(2)], before)
            }
        }
    }

    private mutating func edit(at path: JSONPath, _ before: SharedDocument) -> any SyncAction {
        let value = Self.value(&random, depth: 2)
        let target = room.value(at: path)
        // What can be done to it, mostly.
        let kinds = target.array != nil ? [7, 8] : target.double != nil ? [6] : [0, 2, 4, 9]
        switch random.below(3) > 0 ? kinds[random.below(kinds.count)] : random.below(12) {
        case 0, 1:
            var set = SetValue(path: path, value: value)
            set.within = random.below(4) == 0 ? 300 : nil
            return set
        // What it was before the turn.
        case 2, 3: return SetValue(path: path, value: before.value.value(at: path.pointer))
        case 4, 5: return MergeValue(path: path, value: Self.value(&random, depth: 3))
        case 6: return IncrementValue(path: path, by: random.below(2) == 0 ? -1 : 1e18)
        case 7, 8: return AppendValue(path: path, value: random.below(2) == 0 ? 1 : value)
        case 9, 10: return RemoveValue(path: path)
        default: return Nothing()
        }
    }

    private mutating func revert(to before: SharedDocument) -> any SyncAction {
        var revert = RevertTo<SharedDocument>(version: 0)
        revert.state = before
        if random.below(4) == 0 {
            revert.state = SharedDocument(Self.value(&random, depth: 4))
        }
        return revert
    }

    /// A path that mostly isn't that of the whole document.
    private mutating func inner() -> JSONPath {
        let path = path()
        return path.pointer.tokens.isEmpty && random.below(4) > 0 ? self.path() : path
    }

    /// A path that mostly leads to something.
    private mutating func path() -> JSONPath {
        var tokens: [String] = []
        var value = room.document.value
        while random.below(5) > 0 {
            switch value {
            case .object(let members) where !members.isEmpty && random.below(6) > 0:
                tokens.append(members.keys[random.below(members.count)])
            case .array(let elements) where random.below(6) > 0:
                tokens.append("\(random.below(elements.count + 1))")
            case .object: tokens.append(Self.name(&random))
            case _ where random.below(4) == 0: tokens.append(Self.name(&random))
            default: return JSONPath(JSONPointer(tokens))
            }
            value = value.value(at: JSONPointer([tokens[tokens.count - 1]]))
        }
        return JSONPath(JSONPointer(tokens))
    }

    private static func value(_ random: inout SeededGenerator, depth: Int) -> JSON {
        let scalars: [JSON] = [
            .null, true, 0, 1, 1.0, -0.0, 1e18, .int(1_000_000_000_000_000_000), "", "\u{e9}",
            "e\u{301}", "a longer text",
        ]
        if depth == 0 || random.below(4) == 0 { return scalars[random.below(scalars.count)] }
        if random.below(3) == 0 {
            return .array((0..<random.below(4)).map { _ in value(&random, depth: depth - 1) })
        }
        var object = JSONObject()
        for _ in 0..<random.below(5) {
            object[name(&random)] = value(&random, depth: depth - 1)
        }
        return .object(object)
    }

    private static func name(_ random: inout SeededGenerator) -> String {
        names[random.below(names.count)]
    }
}
