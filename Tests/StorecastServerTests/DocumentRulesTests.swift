import Foundation
import StorecastSync
import TestSupport
import Testing

@testable import StorecastServer

extension DocumentRules {
    /// Rules as a file would have them.
    convenience init(text: String) throws {
        self.init(try RuleFile.read(Array(text.utf8), of: "rules.json"))
    }
}

extension Authentication {
    /// Whom it takes somebody for who shows a token, or none.
    fileprivate func identity(token: String?) async throws -> Identity {
        let credentials = Credentials(token: token, path: "/")
        switch way {
        case .anonymous: return .anonymous
        case .known(let identify): return try identify(credentials)
        case .asked(let identify): return try await identify(credentials)
        }
    }
}

/// What rules allow whom.
struct DocumentRulesTests {
    static let ada = Identity("ada", roles: ["editor"])
    static let bob = Identity("bob")
    private static let token = "a token of ada's"

    private func editor(_ rules: String, _ document: JSON) throws -> JSONEditor {
        JSONEditor(document, obeying: try DocumentRules(text: #"{"rules": [\#(rules)]}"#))
    }

    @Test(
        arguments: [
            ("", true), ("/a", true), ("/a/b/0", true),
        ] as [(String, Bool)])
    func `a rule for a path is one for all that is in the value there`(
        path: String, isReadable: Bool
    ) throws {
        let editor = try editor(#"{"roles": ["editor"], "read": [""]}"#, ["a": 1])
        #expect(try editor.isReadable(JSONPointer(parsing: path), by: Self.ada) == isReadable)
        #expect(try !editor.isReadable(JSONPointer(parsing: path), by: Self.bob))
        #expect(editor.rejection("set", ["path": .string(path), "value": 1], of: Self.ada) != nil)
    }

    @Test func `and not for what is around it`() throws {
        let editor = try editor(
            #"{"roles": ["editor"], "read": ["/cards/*/text"], "set": ["/cards/*/text"]}"#,
            ["cards": ["a": ["text": "x", "votes": [:]]]])
        for (path, isAllowed) in [
            ("", false), ("/cards", false), ("/cards/a", false), ("/cards/a/text", true),
            ("/cards/a/votes", false), ("/cards/a/text/more", true), ("/other/a/text", false),
            ("/cards/a/texts", false), ("/cards/a/b/text", false),
        ] {
            let pointer = try JSONPointer(parsing: path)
            #expect(editor.isReadable(pointer, by: Self.ada) == isAllowed, "\(path)")
            let rejection = editor.rejection(
                "set", ["path": .string(path), "value": ["text": 1]], of: Self.ada)
            #expect((rejection?.code == .forbidden) == !isAllowed, "\(path)")
        }
    }

    @Test func `a step can be one's own id, and is nothing for people without one`() throws {
        let editor = try editor(
            #"""
            {"roles": ["$everybody"], "write": ["/votes/$identity"], "read": ["/votes/$identity"]}
            """#,
            ["votes": ["": 0]])
        try editor.dispatch("set", ["path": "/votes/ada", "value": 1], as: Self.ada)
        try editor.dispatch("increment", ["path": "/votes/bob"], as: Self.bob)
        #expect(editor.document == ["votes": ["": 0, "ada": 1, "bob": 1]])
        for path in ["/votes/bob", "/votes/", "/votes", "/votes/$identity", "/votes/Ada"] {
            let edit: JSON = ["path": .string(path), "value": 2]
            #expect(editor.rejection("set", edit, of: Self.ada)?.code == .forbidden, "\(path)")
        }
        for path in ["/votes/", "/votes/ada"] {
            let edit: JSON = ["path": .string(path), "value": 2]
            #expect(editor.rejection("set", edit)?.code == .forbidden, "\(path)")
            #expect(try !editor.isReadable(JSONPointer(parsing: path), by: .anonymous))
        }
    }

    @Test func `each action is a right of its own, and write is all of them`() throws {
        let edits: [(String, JSON)] = [
            ("set", ["path": "/a", "value": 1]), ("increment", ["path": "/a"]),
            ("merge", ["path": "/a", "value": 3]), ("append", ["path": "/list", "value": 3]),
            ("remove", ["path": "/a"]),
        ]
        for right in ["set", "increment", "merge", "append", "remove", "write", "read"] {
            for (type, payload) in edits {
                let editor = try editor(
                    #"{"roles": ["$signed-in"], "\#(right)": ["/a", "/list"]}"#,
                    ["a": 0, "list": []])
                let isAllowed = right == type || right == "write"
                let rejection = editor.rejection(type, payload, of: Self.bob)
                #expect(rejection?.code == (isAllowed ? nil : .forbidden), "\(right) \(type)")
                #expect(editor.rejection(type, payload)?.code == .forbidden, "\(right) \(type)")
            }
        }
    }

    @Test func `words with $ stand for people, and literal steps have another $`() throws {
        let editor = try editor(
            #"""
            {"roles": ["$anonymous"], "read": ["/a"]}, {"roles": ["$signed-in"], "read": ["/b"]},
            {"roles": ["$everybody"], "read": ["/$*", "/$$identity"]},
            {"roles": ["$devtools"], "write": [""]}
            """#, [:])
        func readable(_ path: String, _ viewer: Identity) throws -> Bool {
            editor.isReadable(try JSONPointer(parsing: path), by: viewer)
        }
        #expect(try readable("/a", .anonymous) && !readable("/b", .anonymous))
        #expect(try !readable("/a", Self.bob) && readable("/b", Self.bob))
        #expect(try readable("/*", Self.bob) && readable("/$identity", .anonymous))
        #expect(try !readable("/x", Self.bob) && !readable("/bob", Self.bob))
        let developer = Identity("storecast.devtools")
        #expect(try !readable("/b", developer))
        #expect(editor.rejection("set", ["path": "", "value": 1], of: developer) == nil)
    }

    @Test func `a rule may be for some rooms only`() throws {
        let rules = try DocumentRules(
            text: #"""
                {"rules": [{"roles": ["$everybody"], "rooms": ["/boards/*", "/"], "read": [""]}]}
                """#)
        for (room, isReadable) in [
            ("/boards/a", true), ("/", true), ("/boards", false), ("/boards/a/b", false),
            ("/boards/a/", false), ("/boards/\u{e9}", false), ("/polls/a", false),
        ] {
            let person = rules.table.person(Self.bob, in: room)
            #expect(rules.table.allows(.read, [], person) == isReadable, "\(room)")
            #expect(person.rules.isEmpty == !isReadable, "\(room)")
        }
    }

    @Test func `rooms of rules that no room can be are found`() throws {
        let rules = try DocumentRules(
            text: #"""
                {"rules": [{"roles": ["a"], "read": [""], "rooms":
                    ["/boards/a", "/bords/*", "/*/x", "/boards", "/*", "/boards/a/b"]}]}
                """#)
        let paths = try RoomPatterns(["/boards/*", "/lobby"])
        #expect(rules.table.strangers(to: paths) == ["/bords/*", "/boards", "/boards/a/b"])
    }

    @Test func `a refusal says which rule it takes, and nothing of the document`() throws {
        let editor = try editor(
            #"{"roles": ["reader"], "read": ["/public"]}"#, ["secret": "hunter2"])
        let rejection = editor.rejection(
            "set", ["path": "/secret", "value": 1], of: Self.ada)
        #expect(
            rejection?.description
                == "No rule lets you do this. It takes a rule with 'set' for the path '/secret', or "
                + "for what is around that. You have the rules for: $everybody, $signed-in, "
                + "editor.")
    }

    /// One that knows the answer at once, and one that is asked.
    private static let authentications: [Authentication] = [
        .tokens(TokenTable([token: ada])),
        .custom { credentials in
            guard credentials.token == token else {
                throw Rejection(.unauthenticated, "Ada has another token.")
            }
            return ada
        },
    ]

    @Test(arguments: authentications)
    func `who shows no token is anonymous while a rule is for such people, and else refused`(
        others: Authentication
    ) async throws {
        let rules = try DocumentRules(text: #"{"rules": []}"#)
        let authentication = others.admittingAnonymous { rules.admitsAnonymous }
        for (role, isAdmitted) in [
            ("$everybody", true), ("$signed-in", false), ("$anonymous", true), ("editor", false),
        ] {
            let text = #"{"rules": [{"roles": ["\#(role)"], "read": [""]}]}"#
            rules.replace(by: try DocumentRules(text: text).table)
            let stranger = try? await authentication.identity(token: nil)
            #expect(stranger == (isAdmitted ? Identity.anonymous : nil), "\(role)")
            #expect(try await authentication.identity(token: Self.token) == Self.ada)
            await #expect(throws: Rejection.self) {
                _ = try await authentication.identity(token: "another token")
            }
        }
    }

    // MARK: The file

    @Test(
        arguments: [
            ("{", "line 1, column 2 the JSON is not complete"),
            ("[]", "line 1, column 1: expected an object with 'rules'"),
            (#"{"rules": [], "rule": 1}"#, "no member 'rule'; is one of these meant: 'rules'"),
            (#"{"rules": {}}"#, "line 1, column 11, at '/rules': expected an array of rules"),
            (
                #"{"rules": [{"roles": ["a"], "raed": [""]}]}"#,
                "'/rules/0': there is no member 'raed'; is one of these meant: 'read'"
            ),
            (
                "{\"rules\": [\n {\"roles\": [\"a\"],\n  \"read\": [\"/a\", 7]}]}",
                "line 3, column 18, at '/rules/0/read/1': expected a text"
            ),
            (
                #"{"rules": [{"roles": ["a"], "read": ["a"]}]}"#,
                "at '/rules/0/read/0': A path is empty or begins with"
            ),
            (#"{"rules": [{"roles": ["a"], "read": ["/~2"]}]}"#, "at '/rules/0/read/0': In a path"),
            (
                #"{"rules": [{"roles": ["a"], "read": ["/$identiy"]}]}"#,
                "there is no step '$identiy'; is one of these meant: '$identity'"
            ),
            (
                #"{"rules": [{"roles": ["$everyone"], "read": [""]}]}"#,
                "there is no role '$everyone'"
            ),
            (#"{"rules": [{"roles": [""], "read": [""]}]}"#, "a role has a name"),
            (#"{"rules": [{"read": [""]}]}"#, "the rule is for nobody"),
            (#"{"rules": [{"roles": ["a"]}]}"#, "the rule allows nothing"),
            (
                #"{"rules": [{"roles": [], "read": [""]}]}"#,
                "at '/rules/0/roles': expected an array of texts, with one at least"
            ),
            (
                #"{"rules": [{"roles": ["a"], "roles": ["b"], "read": [""]}]}"#,
                "a second member of the same name"
            ),
            (
                #"{"rules": [{"roles": ["a"], "rooms": ["boards"], "read": [""]}]}"#,
                "at '/rules/0/rooms/0': 'boards' is no pattern of rooms"
            ),
        ])
    func `what is wrong with a file is said with its place`(text: String, problem: String) {
        let error = #expect(throws: ServerError.self) { try DocumentRules(text: text) }
        #expect(error?.code == .rulesUnusable)
        #expect(error?.description.contains(problem) == true, "\(error as Any)")
    }

    @Test func `a file's rules, paths and their steps are bounded`() throws {
        func rules(_ count: Int, _ path: (Int) -> String) -> String {
            let rules = (0..<count).map { #"{"roles": ["a"], "read": ["\#(path($0))"]}"# }
            return #"{"rules": [\#(rules.joined(separator: ","))]}"#
        }
        #expect(try DocumentRules(text: rules(256) { _ in "/*" }).count == 256)
        #expect(throws: ServerError.self) { try DocumentRules(text: rules(257) { _ in "/*" }) }
        #expect(try DocumentRules(text: rules(64) { "/\($0)/*" }).count == 64)
        #expect(throws: ServerError.self) { try DocumentRules(text: rules(65) { "/\($0)/*" }) }
        let paths = (0...1000).map { "\"/\($0)\"" }
        for (count, isTaken) in [(1000, true), (1001, false)] {
            let list = paths.prefix(count).joined(separator: ",")
            let text = #"{"rules": [{"roles": ["a"], "read": [\#(list)]}]}"#
            #expect(((try? DocumentRules(text: text)) != nil) == isTaken)
        }
        let deep = String(repeating: "/a", count: JSONRoom.deepestDocument)
        #expect(try DocumentRules(text: rules(1) { _ in deep }).count == 1)
        #expect(throws: ServerError.self) { try DocumentRules(text: rules(1) { _ in deep + "/a" }) }
        let directory = try TemporaryDirectory()
        let file = directory.file("large.json")
        try Data(String(repeating: " ", count: RuleFile.largest + 1).utf8)
            .write(to: URL(filePath: file))
        #expect(throws: ServerError.self) { try DocumentRules(file: file) }
        #expect(throws: ServerError.self) { try DocumentRules(file: directory.file("nowhere")) }
    }

    @Test func `the shortest file that allows nothing`() throws {
        let rules = try DocumentRules(text: #"{"rules": []}"#)
        #expect(!rules.admitsAnonymous)
        #expect(rules.table.person(Self.ada, in: "/").rules.isEmpty)
    }
}

/// Rules against an oracle that is slow and obvious: it writes down every path that somebody has a
/// right to.
struct DocumentRulesPropertyTests {
    private typealias Rule = (roles: [String], paths: [(DocumentRight, [String])])

    private static let tokens = ["a", "0", "1", "ada", ""]
    /// Stands for all others, of which no rule is.
    private static let other = "other"
    private static let people = [
        Identity("ada", roles: ["x"]), Identity("1", roles: ["x", "y"]), Identity("a"), .anonymous,
    ]
    /// Every path of up to three steps; rules have no longer ones.
    private static let paths: [[String]] = (0..<3).reduce([[]]) { all, _ in
        [[]] + all.flatMap { path in (tokens + [other]).map { path + [$0] } }
    }

    /// The beginning of a path, among ``paths``.
    private static func start(of path: [String]) -> [String] {
        path.prefix(3).map { tokens.contains($0) ? $0 : other }
    }

    /// Every path that the rules give somebody a right to.
    private static func expanded(
        _ rules: [Rule], _ right: DocumentRight, _ person: Identity
    ) -> Set<[String]> {
        var words: Set = ["$everybody", person.id.isEmpty ? "$anonymous" : "$signed-in"]
        words.formUnion(person.roles)
        let patterns = rules.filter { !words.isDisjoint(with: $0.roles) }
            .flatMap(\.paths).filter { $0.0 == right }.map(\.1)
        func fits(_ token: String, _ step: String) -> Bool {
            switch step {
            case "*": true
            case "$identity": !person.id.isEmpty && token == person.id
            default: token == step
            }
        }
        return Set(
            paths.filter { path in
                patterns.contains { pattern in
                    pattern.count <= path.count && zip(path, pattern).allSatisfy(fits)
                }
            })
    }

    /// The paths of what has changed from one value to another: of the smallest values around it.
    private static func changes(_ old: JSON?, _ new: JSON?, _ path: [String]) -> [[String]] {
        if old == new { return [] }
        if let old = old?.object, let new = new?.object {
            let names = Set(old.map(\.0) + new.map(\.0))
            return names.flatMap { changes(old[$0], new[$0], path + [$0]) }
        }
        if let old = old?.array, let new = new?.array {
            return (0..<max(old.count, new.count)).flatMap { index in
                changes(
                    old.indices.contains(index) ? old[index] : nil,
                    new.indices.contains(index) ? new[index] : nil, path + ["\(index)"])
            }
        }
        return [path]
    }

    /// The paths that an edit names.
    private static func named(_ type: String, _ path: [String], _ value: JSON) -> [[String]] {
        guard type == "merge", let members = value.object, !members.isEmpty else { return [path] }
        return members.flatMap { named(type, path + [$0], $1) }
    }

    private var random: SeededGenerator

    init() { random = SeededGenerator(seed: 1) }

    private mutating func pick<T>(_ all: [T]) -> T { all[random.below(all.count)] }

    private mutating func rules() -> [Rule] {
        (0...random.below(5)).map { _ in
            let roles = [pick(["x", "y", "$everybody", "$anonymous", "$signed-in"])]
            return (
                roles,
                (0...random.below(3)).map { _ in
                    let steps = (0..<random.below(4)).map { _ in
                        pick(["*", "$identity", "0", "a"] + Self.tokens)
                    }
                    return (pick(DocumentRight.allCases), steps)
                }
            )
        }
    }

    private mutating func value(_ depth: Int) -> JSON {
        switch depth == 0 ? random.below(2) : random.below(8) {
        case 0: return .int(Int64(random.below(3)))
        case 1: return pick([.null, "text", [:], []])
        case 2...4: return .array((0..<random.below(4)).map { _ in value(depth - 1) })
        default:
            var object: JSON = [:]
            for _ in 0..<random.below(4) { object[pick(Self.tokens)] = value(depth - 1) }
            return object
        }
    }

    /// Some path, or more often one that a rule is about.
    private mutating func target(
        for person: Identity, _ rules: [Rule], _ right: DocumentRight
    ) -> [String] {
        let patterns = rules.flatMap(\.paths).filter { $0.0 == right }.map(\.1)
        guard !patterns.isEmpty, random.below(3) > 0 else {
            return Array(pick(Self.paths).prefix(random.below(3)))
        }
        return pick(patterns).map { step in
            step == "*" ? pick(Self.tokens + ["0"]) : step == "$identity" ? person.id : step
        }
    }

    private static func text(_ rules: [Rule]) -> String {
        let texts = rules.map { rule -> JSON in
            var object: [String: [JSON]] = [:]
            for (right, steps) in rule.paths {
                object[right.rawValue, default: []]
                    .append(.string(JSONPointer(steps).description))
            }
            var json: JSON = ["roles": .array(rule.roles.map { .string($0) })]
            for (key, paths) in object { json[key] = .array(paths) }
            return json
        }
        return "\(["rules": .array(texts)] as JSON)"
    }

    @Test mutating func `what is allowed is what the rules write out, and nothing else changes`()
        throws
    {
        var (allowed, refused, conflicts) = (0, 0, 0)
        for _ in 0..<200 {
            let rules = rules()
            let document = value(3)
            let table = try DocumentRules(text: Self.text(rules))
            for person in Self.people {
                let readable = Self.expanded(rules, .read, person)
                let editor = JSONEditor(document, obeying: table)
                for _ in 0..<8 {
                    let path = pick(Self.paths)
                    #expect(
                        editor.isReadable(JSONPointer(path), by: person) == readable.contains(path),
                        "\(person.id) reads \(path) by \(Self.text(rules))")
                    let type = pick(["set", "merge", "merge", "increment", "append", "remove"])
                    let right = try #require(DocumentRight(rawValue: type))
                    let target = target(for: person, rules, right)
                    let new = value(2)
                    let writable = Self.expanded(rules, right, person)
                    let isNamed = Self.named(type, target, new)
                        .allSatisfy { writable.contains(Self.start(of: $0)) }
                    var payload: JSON = ["path": .string(JSONPointer(target).description)]
                    if type != "increment" && type != "remove" { payload["value"] = new }
                    let before = editor.document
                    let rejection = editor.rejection(type, payload, of: person)
                    let story = "\(person.id): \(type) \(payload) by \(Self.text(rules))"
                    try #require((rejection?.code == .forbidden) == !isNamed, "\(story)")
                    let changes = Self.changes(before, editor.document, [])
                    try #require(
                        changes.allSatisfy { writable.contains(Self.start(of: $0)) },
                        "\(story) in \(before): \(changes)")
                    if rejection == nil { allowed += 1 }
                    if rejection?.code == .forbidden { refused += 1 }
                    if rejection?.code == .conflict { conflicts += 1 }
                }
            }
        }
        #expect(
            allowed > 100 && refused > 300 && conflicts > 50, "\(allowed) \(refused) \(conflicts)")
    }
}
