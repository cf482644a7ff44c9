import TestSupport
import Testing

@testable import StorecastSync

/// What clients may dispatch by name, and what a journal kept.
struct ActionCatalogueTests {
    private struct Grow: SyncAction, Equatable { var by: Int }
    private struct Reset: SyncAction, Equatable {}

    private struct Note: Stamped {
        var text: String
        var stamp = Stamp()
    }

    /// Another type of the same name.
    private struct Swell: SyncAction {
        static var wireName: String { "Grow" }
    }

    private let catalogue = ActionCatalogue([Reset.self, Grow.self, Note.self])

    private func action(_ type: String, _ payload: String?) throws -> any SyncAction {
        try catalogue.action(type, try payload.map { try JSONDocument($0).root })
    }

    @Test func `an action is read by its name, and one without members needs no payload`() throws {
        #expect(try action("Grow", #"{"by":3,"more":true}"#) as? Grow == Grow(by: 3))
        #expect(try action("Reset", nil) is Reset)
        #expect(try action("Reset", "{}") is Reset)
        #expect(try (action("Note", #"{"text":"x"}"#) as? Note)?.text == "x")
    }

    @Test(
        arguments: [
            ("Shrink", "{}", .unknownAction, "There is no 'Shrink', only Grow, Note, Reset."),
            ("grow", #"{"by":3}"#, .unknownAction, "There is no 'grow', only Grow, Note, Reset."),
            (
                "storecast.forget", "{}", .forbidden,
                "'storecast.forget' reports what only the server knows."
            ),
            (ClientJoined.wireName, "{}", .forbidden, "reports what only the server knows."),
            (ClientLeft.wireName, "{}", .forbidden, "reports what only the server knows."),
            ("Grow", nil, .invalid, "payload of 'Grow': "),
            ("Grow", #"{"by":"x"}"#, .invalid, "payload of 'Grow': "),
        ] as [(String, String?, Rejection.Code, String)])
    func `what can't be dispatched is refused, and why is said`(
        type: String, payload: String?, code: Rejection.Code, detail: String
    ) {
        let error = #expect(throws: Rejection.self) { try action(type, payload) }
        #expect(error?.code == code)
        #expect(error?.detail?.contains(detail) == true)
    }

    @Test func `a journal's actions are read whoever dispatched them, while the room has them`()
        throws
    {
        let payload = Array(#"{"clients":["a"],"rejections":[]}"#.utf8)
        let forget = try catalogue.action(recorded: "storecast.forget", payload)
        #expect((forget as? ForgetClients)?.clients == ["a"])
        let error = #expect(throws: Rejection.self) {
            try catalogue.action(recorded: "Shrink", payload)
        }
        #expect(error?.code == .unknownAction)
        #expect(error?.title == "The room has no action 'Shrink' any more.")
    }

    @Test func `a type is in it, and not just one of its name`() throws {
        #expect(catalogue.contains(Grow.self) && catalogue.contains("Grow"))
        #expect(!catalogue.contains(Swell.self) && !catalogue.contains("Swell"))
        try catalogue.check(Grow(by: 1))
        let error = #expect(throws: Rejection.self) { try catalogue.check(Swell()) }
        #expect(error?.code == .unknownAction)
        #expect(error?.detail == "'Swell' isn't in its definition.")
        #expect(ActionCatalogue.lack(of: Swell.self).contains("Add Swell.self to `actions`"))
    }

    @Test func `clients are told of what is theirs, by the alphabet`() {
        #expect(catalogue.names == ["Grow", "Note", "Reset"])
        let types = catalogue.forClients.map { "\($0)" }
        #expect(types == ["Grow", "Note", "Reset"])
    }

    @Test func `what has no stamp needn't be completed`() {
        #expect(catalogue.hasNoStamp(Grow(by: 1)) && catalogue.hasNoStamp(Reset()))
        #expect(!catalogue.hasNoStamp(Note(text: "x")) && !catalogue.hasNoStamp(Swell()))
        var more = ActionCatalogue([])
        #expect(more.names == [] && !more.hasNoStamp(Swell()))
        more.add(Swell.self)
        #expect(more.names == ["Grow"] && more.hasNoStamp(Swell()))
        #expect(throws: Rejection.self) { try more.action("Shrink", nil) }
    }

    // MARK: Rules

    private static let pot = RoomDefinition(
        state: 0, actions: [Grow.self, Reset.self], selections: []
    ) { _, _ in }

    private func check(
        _ action: any SyncAction, _ room: RoomDefinition<Int>, isClosed: Bool = false
    ) throws {
        try room.check(action, from: Identity("ada"), in: 0, isClosed: isClosed)
    }

    @Test func `a room without rules is open or closed as its server is, but for the past`()
        throws
    {
        try check(Grow(by: 1), Self.pot)
        #expect(throws: NoRule.self) { try check(Grow(by: 1), Self.pot, isClosed: true) }
        let revertible = Self.pot.revertible()
        try check(Grow(by: 1), revertible)
        #expect(throws: Rejection.self) { try check(RevertTo<Int>(version: 0), revertible) }
        // What is looked at whoever sends it is, whatever the rules say.
        let inspected = Self.pot.inspect(Grow.self) { grow in
            if grow.by > 9 { throw Rejection(.invalid, "Too much.") }
        }
        for room in [inspected, inspected.allowAll(.open)] {
            try check(Grow(by: 9), room)
            try check(Reset(), room)
            #expect(throws: Rejection(.invalid, "Too much.")) { try check(Grow(by: 10), room) }
        }
    }

    @Test func `one rule closes nothing else`() throws {
        let room = Self.pot.allow(Grow.self, .roles("gardener"))
        #expect(throws: Rejection.self) { try check(Grow(by: 1), room) }
        try check(Reset(), room)
        #expect(throws: NoRule.self) { try check(Reset(), room, isClosed: true) }
    }

    @Test func `a rule that looks at the state lets nobody while there is none`() throws {
        let rule: Rule<Int, String> = .when { state, subject, identity in
            state > 0 && subject == "x" && identity.id == "ada"
        }
        func isLet(_ state: Int?, _ subject: String, _ id: String) -> Bool {
            (try? Permitted(to: Identity(id), by: rule, subject, in: state) { 7 })?.value == 7
        }
        #expect(rule.readsState && isLet(1, "x", "ada"))
        #expect(!isLet(nil, "x", "ada") && !isLet(0, "x", "ada"))
        #expect(!isLet(1, "y", "ada") && !isLet(1, "x", "bob"))
        let plain: Rule<Int, String> = .when { subject, _ in subject == "x" }
        #expect(!plain.readsState && !Rule<Int, String>.signedIn.readsState)
        #expect((try? Permitted(to: .anonymous, by: plain, "x", in: nil) { 7 }) != nil)
    }

    // MARK: Rejections

    @Test(arguments: [(nil, nil), (-1, 0), (0.5, 0.5), (1e300, 1e9)] as [(Double?, Double?)])
    func `when to come again is what the server says, within reason`(
        said: Double?, seconds: Double?
    ) {
        let rejection = Rejection(
            ServerFrame.Reject(
                seq: 1, code: "busy", title: "T", detail: "d", retryable: true, retryAfter: said))
        #expect(rejection.code == .busy && rejection.title == "T" && rejection.detail == "d")
        #expect(rejection.retryable)
        #expect(rejection.retryAfter == seconds.map { Duration.seconds($0) })
        #expect("\(rejection)" == "T d" && "\(Rejection(.busy, "T"))" == "T")
    }

    @Test func `of a rejection so much is kept as a server sends`() {
        let long = String(repeating: "x", count: 1000)
        let rejection = Rejection(
            Rejection.Code(long), long, detail: long, retryAfter: .seconds(3)
        ).bounded
        #expect(rejection.code.description.utf8.count <= 80)
        #expect((500...600).contains(rejection.title.utf8.count))
        #expect((500...600).contains(rejection.detail?.utf8.count ?? 0))
        #expect(rejection.retryable && rejection.retryAfter == .seconds(3))
        let short = Rejection(.conflict, "Twice.", detail: "It is there.")
        #expect(short.bounded == short)
    }
}
