import StorecastWire
import Testing

@testable import StorecastMirror
@testable import StorecastRoom

/// Large first values are sent in parts to clients that take them.
struct ServerSessionPartsTests {
    /// Each part has ten bytes of text.
    private static var limits: SyncLimits {
        var limits = SyncLimits()
        limits.partBytes = 10
        return limits
    }

    let loop = TestLoop()

    private func lines(_ count: Int) -> [String] { (0..<count).map { "line \($0 + 100)" } }

    private func open(_ lines: Int = 20, _ limits: SyncLimits = Self.limits) -> Room<Shop> {
        loop.open(Shop.room(from: Shop(log: self.lines(lines))), limits: limits)
    }

    private func wire(_ room: any AnyRoom, _ client: String = .ada) -> Wire {
        Wire.greeted(room, on: loop, client: client, rest: #","parts":1"#)
    }

    private func subscribe(_ ref: Int, _ select: String = "log", _ rest: String = "") -> String {
        #"{"op":"subscribe","ref":\#(ref),"select":"\#(select)"\#(rest)}"#
    }

    /// A turn in which nothing comes: one part, if one is due.
    private func step() { loop.endTurn() }

    private func write(_ room: Room<Shop>, _ text: String = "new") {
        room.dispatch(Write(text: text), DispatchOutcome())
        loop.endTurn()
    }

    /// The messages up to the next that is no part: the text of all parts, and that message.
    private func download(_ wire: Wire) -> (text: String, parts: Int, end: JSON?) {
        var (text, parts) = ("", 0)
        for _ in 0..<10_000 {
            while let message = wire.hearOne() {
                guard let piece = message.piece else { return (text, parts, message.json) }
                text += piece
                parts += 1
            }
            step()
        }
        return (text, parts, nil)
    }

    // MARK: Who gets parts

    @Test func `a large value comes in parts, and what makes it live`() throws {
        let wire = wire(open())
        wire.say(subscribe(1))
        #expect(wire.hear().ops == ["subscribed"])
        let (text, parts, end) = download(wire)
        #expect(try JSON(parsing: text) == .array(lines(20).map { .string($0) }))
        #expect(parts == (text.utf8.count + 9) / 10)
        #expect(end == parsed(#"{"op":"current","sub":1,"v":0}"#))
    }

    @Test func `who is there gets parts of another size when that is set`() {
        let shop = Shop.room(from: Shop(log: lines(20)))
        loop.maker = { [unowned loop] in loop.open(shop, at: $0, limits: SyncLimits()) }
        let wire = Wire(1, to: "/a", on: loop, from: "192.0.2.1")
        wire.say(hello(.ada, #","parts":1"#))
        #expect(wire.hear().ops == ["welcome"])
        loop.rooms.set(Self.limits)
        wire.say(subscribe(1))
        #expect(wire.hear().ops == ["subscribed"])
        #expect(download(wire).parts > 1)
    }

    @Test func `a server says that it sends parts to those who asked`() {
        let room = open()
        let cases: [(String, JSON?)] = [
            ("", nil), (#","parts":0"#, nil), (#","parts":1"#, 1), (#","parts":7"#, 1),
        ]
        for (rest, parts) in cases {
            let wire = Wire(to: room, on: loop)
            wire.say(hello(.ada, rest))
            #expect(wire.hear().first("welcome")?["parts"] == parts)
        }
    }

    @Test func `who doesn't take parts is sent the whole`() {
        let wire = Wire.greeted(open(), on: loop)
        wire.say(subscribe(1))
        #expect(wire.hear().ops == ["subscribed", "snapshot"])
        #expect(loop.turnsAgain == 0)
    }

    @Test func `a value of one part comes whole`() {
        let wire = wire(open(0))
        wire.say(subscribe(1))
        #expect(wire.hear().ops == ["subscribed", "snapshot"])
    }

    @Test func `a live value comes whole, however large the change`() {
        let room = open(0)
        let wire = wire(room)
        wire.say(subscribe(1))
        _ = wire.hear()
        write(room, String(repeating: "x", count: 100))
        #expect(wire.hear().ops == ["snapshot"])
    }

    @Test func `who resumes is told what changed, and gets parts only if that isn't known`() throws
    {
        let room = open()
        let first = wire(room)
        first.say(subscribe(1))
        let subscribed = try #require(first.hear().first("subscribed"))
        _ = download(first)
        write(room)
        for (version, end) in [(0, "patch"), (1, "current")] {
            let tag = subscribed["tag"]?.string ?? ""
            let epoch = room.position.epoch
            let at = #"{"epoch":"\#(epoch)","v":\#(version),"tag":"\#(tag)"}"#
            let wire = wire(room, .bob)
            wire.say(subscribe(1, "log", #","at":\#(at)"#))
            #expect(wire.hear().ops == ["subscribed", end])
            wire.say(#"{"op":"unsubscribe","ref":1}"#)
            let other = at.replacing(#""epoch":""#, with: #""epoch":"x"#)
            wire.say(subscribe(2, "log", #","at":\#(other)"#))
            #expect(wire.hear().ops == ["subscribed"])
            #expect(download(wire).end?.op == "current")
        }
    }

    // MARK: What comes between

    @Test func `one part is sent in a turn, whosever it is, and messages come before it`() {
        let room = open()
        let (ada, bob) = (wire(room), wire(room, .bob))
        bob.push(Array(subscribe(1).utf8))
        ada.say(subscribe(1), subscribe(2, "tea"))
        #expect(ada.hear().ops == ["subscribed", "subscribed", "snapshot"])
        #expect(bob.hear().ops == ["subscribed"])
        for turn in 1...6 {
            step()
            #expect(bob.messages.count == (turn + 1) / 2)
            #expect(ada.messages.count == turn / 2)
            #expect(loop.turnsAgain == turn + 1)
        }
        _ = ada.hearMessages()
        ada.say(#"{"op":"ping"}"#, dispatchFrame(1, "AddTea", #"{"by":1}"#))
        // The turn's part was bob's.
        #expect(ada.hear().ops == ["pong", "transaction", "snapshot"])
        #expect(bob.messages.count == 4)
        #expect(download(ada).end?.op == "current")
    }

    @Test func `what changes meanwhile is a patch behind the last part`() throws {
        let room = open()
        let wire = wire(room)
        wire.say(subscribe(1), subscribe(2, "tea"))
        _ = wire.hear()
        step()
        room.dispatch(Write(text: "new"), DispatchOutcome())
        room.dispatch(AddTea(by: 1), DispatchOutcome())
        loop.endTurn()
        let heard = wire.hearMessages()
        // Only what is live moves.
        #expect(heard.map { $0.piece == nil } == [false, false, true])
        #expect(heard.last?.json["sub"] == 2)
        let (text, _, end) = download(wire)
        let whole = try JSON(parsing: heard.compactMap(\.piece).joined() + text)
        #expect(whole == .array(lines(20).map { .string($0) }))
        #expect(end?["from"] == 0 && end?.v == 2)
        #expect(end?["ops"]?.array?.count == 1)
    }

    @Test func `the end of the parts may come in the transaction of a turn`() {
        let room = open()
        let wire = wire(room)
        wire.say(subscribe(1), subscribe(2, "tea"))
        _ = wire.hear()
        // All parts but one, of 221 bytes.
        for _ in 1...22 { step() }
        wire.dispatch(1, "AddTea", #"{"by":1}"#)
        let ends = wire.hearMessages().filter { $0.piece == nil }.map(\.json)
        #expect(ends.ops == ["transaction", "current", "snapshot"])
        #expect(ends[0]["count"] == 2)
    }

    @Test func `too many changes meanwhile are followed by the whole, and no parts again`() {
        var limits = Self.limits
        limits.historyBytes = 100
        let room = open(20, limits)
        let wire = wire(room)
        wire.say(subscribe(1))
        _ = wire.hear()
        step()
        for _ in 0..<10 { write(room) }
        let end = download(wire).end
        #expect(end?.op == "snapshot" && end?.v == 10)
        #expect(end?["value"]?.array?.count == 30)
        #expect(!wire.session.hasParts)
    }

    @Test func `a connection that takes nothing holds up no other, and goes on when it does`() {
        let room = open()
        let (ada, bob) = (wire(room), wire(room, .bob))
        ada.say(subscribe(1))
        bob.say(subscribe(1))
        _ = (ada.hearMessages(), bob.hear())
        ada.isWritable = false
        #expect(download(bob).end?.op == "current")
        #expect(ada.messages.isEmpty)
        let turns = loop.turnsAgain
        step()
        #expect(loop.turnsAgain == turns)
        ada.resume()
        #expect(download(ada).end?.op == "current")
    }

    @Test func `values come one after the other, and each is live before the next`() {
        let room = open()
        let wire = wire(room)
        for _ in 0..<2 { write(room, String(repeating: "x", count: 18)) }
        wire.say(subscribe(1, "line", #","params":20"#), subscribe(2, "line", #","params":21"#))
        _ = wire.hear()
        var order: [String] = []
        for _ in 0..<20 {
            order += wire.hearMessages().map { message in
                message.piece == nil ? "\(message.json["sub"] ?? 0) \(message.json.op)" : "part"
            }
            step()
        }
        #expect(order == ["part", "part", "1 current", "part", "part", "2 current"])
    }

    // MARK: The end

    @Test func `unsubscribing ends it, and subscribing begins anew`() throws {
        let room = open()
        let wire = wire(room)
        wire.say(subscribe(1))
        step()
        wire.say(#"{"op":"unsubscribe","ref":1}"#)
        #expect(!wire.session.hasParts)
        _ = wire.hearMessages()
        for _ in 0..<5 { step() }
        #expect(wire.messages.isEmpty)
        wire.say(subscribe(1))
        #expect(wire.hear().ops == ["subscribed"])
        #expect(try JSON(parsing: download(wire).text).array?.count == 20)
    }

    @Test func `of two refs of one value, one may go`() throws {
        let wire = wire(open())
        wire.say(subscribe(1))
        step()
        wire.say(subscribe(2), #"{"op":"unsubscribe","ref":1}"#)
        let heard = wire.hearMessages()
        #expect(heard.map { $0.piece == nil } == [true, false, true])
        let text = (heard[1].piece ?? "") + download(wire).text
        #expect(try JSON(parsing: text).array?.count == 20)
    }

    @Test func `a selection that can't be had any more ends it`() {
        let room = loop.open(
            Shop.room(from: Shop(log: lines(20))).authorize(Shop.log) { _, viewer in
                guard viewer.roles.isEmpty else { throw Rejection(.forbidden, "No.") }
            }, limits: Self.limits)
        let wire = wire(room)
        wire.say(subscribe(1))
        step()
        loop.authenticator = { _ in .success(Identity("anonymous", roles: ["guest"])) }
        wire.session.authenticated(.success(Identity(wire.session.identity.id, roles: ["guest"])))
        loop.endTurn()
        #expect(!wire.session.hasParts)
        #expect(wire.hearMessages().last?.json.op == "lapse")
        for _ in 0..<5 { step() }
        #expect(wire.messages.isEmpty)
    }

    @Test func `a connection that ends takes its parts with it`() throws {
        let room = open()
        let (ada, bob) = (wire(room), wire(room, .bob))
        for wire in [ada, bob] {
            wire.say(subscribe(1))
            _ = wire.hear()
        }
        let group = try #require(room.views.live.first)
        step()
        write(room)
        #expect(group.hasTextUnderway)
        ada.session.disconnected()
        #expect(group.hasTextUnderway)
        _ = download(bob)
        #expect(!group.hasTextUnderway)
    }

    // MARK: One encoding

    @Test func `a thousand viewers who come at once cost one encoding`() {
        let encodings = Tally()
        let essay = Selection("essay") { (_: Shop) in Essay(encodings) }
        let room = loop.open(
            RoomDefinition(state: Shop(), actions: [], selections: [essay], reducer: Shop.reduce),
            limits: Self.limits)
        let wires = (0..<1000).map { number in
            let wire = wire(room, "client-\(10_000_000_000 + number)")
            wire.say(subscribe(1, "essay"))
            return wire
        }
        for wire in wires {
            _ = wire.hearOne()
            let (text, _, end) = download(wire)
            #expect(text.utf8.count == Essay.length + 2 && end?.op == "current")
        }
        #expect(encodings.count == 1)
    }
}

/// A text that counts how often it is written.
private struct Essay: Codable, Equatable {
    static let length = 40

    private let encodings: Tally

    init(_ encodings: Tally) { self.encodings = encodings }

    init(from decoder: any Decoder) throws { encodings = Tally() }

    func encode(to encoder: any Encoder) throws {
        encodings.increase()
        var container = encoder.singleValueContainer()
        try container.encode(String(repeating: "x", count: Self.length))
    }

    static func == (left: Essay, right: Essay) -> Bool { true }
}

extension ServerMessage {
    /// The text of a part; nil for a frame.
    fileprivate var piece: String? {
        guard text.first != UInt8(ascii: "{") else { return nil }
        return text.withUnsafeBytes { bytes in
            let part = try? SnapshotPart.read(bytes)
            return part.map { String(decoding: $0.text, as: UTF8.self) }
        }
    }
}
