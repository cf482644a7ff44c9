import Foundation
import StorecastClient
import StorecastSync
import TestSupport
import Testing

@testable import StorecastServer

/// Ways round the rules of a document that somebody might try.
struct RuleAttackTests {
    private static let eve = Identity("eve", roles: ["member"])

    /// Eve may read `/public`, and write her own things.
    private static let rules = #"""
        {"rules": [
            {"roles": ["member"], "read": ["/public", "/list/0"],
             "write": ["/inbox/$identity", "/list/0", "/obj/*/mine", "/a~1b"]},
            {"roles": ["counter"], "increment": ["/n"]},
            {"roles": ["admin"], "read": [""], "write": [""]}
        ]}
        """#

    private static let document: JSON = [
        "public": ["text": "hello"], "secret": ["key": "hunter2"], "inbox": ["bob": []],
        "list": ["mine", "theirs"], "obj": ["x": ["mine": 1, "yours": 2], "y": [1, 2]],
        "a": ["b": "not a/b"], "n": 5, "": "empty",
    ]

    private func editor() throws -> JSONEditor {
        JSONEditor(Self.document, obeying: try DocumentRules(text: Self.rules))
    }

    private func isForbidden(
        _ type: String, _ payload: JSON, as sender: Identity = eve
    ) throws -> Bool {
        let editor = try editor()
        let code = editor.rejection(type, payload, of: sender)?.code
        return code == .forbidden && editor.document == Self.document
    }

    @Test(arguments: [
        "/%73ecret", "//secret", "/secret/", "/./secret", "/~0secret", "/secret", "/../secret",
        "", "/", "/public~1..~1secret", "/Public", "/pub*", "/*", "/a/b", "/list", "/list/-",
        "/list/00", "/list/1", "/obj/x", "/inbox/bob", "/inbox", "/inbox/", "/inbox/*",
        "/inbox/$identity", "/inbox/EVE", "/inbox/\u{435}ve", "/n",
    ])
    func `a path written in another way leads nowhere else`(path: String) throws {
        let pointer = try JSONPointer(parsing: path)
        #expect(try !editor().isReadable(pointer, by: Self.eve))
        #expect(try isForbidden("set", ["path": .string(path), "value": 1]))
        #expect(try isForbidden("remove", ["path": .string(path)]))
    }

    @Test func `dots are names, in a value that may be read`() throws {
        #expect(try editor().isReadable(JSONPointer(parsing: "/public/../secret"), by: Self.eve))
        #expect(try editor().value(at: "/public/../secret") == .null)
    }

    @Test func `an escaped slash is in a name`() throws {
        #expect(try editor().rejection("set", ["path": "/a~1b", "value": 1], of: Self.eve) == nil)
        #expect(try isForbidden("set", ["path": "/a/b", "value": 1]))
    }

    @Test func `what a person may change of an array is a place, and nobody else's is moved there`()
        throws
    {
        let editor = try editor()
        try editor.dispatch("set", ["path": "/list/0", "value": "new"], as: Self.eve)
        let rejection = editor.rejection("remove", ["path": "/list/0"], of: Self.eve)
        #expect(rejection?.code == .conflict)
        #expect(editor.document["list"] == ["new", "theirs"])
        let admin = Identity("root", roles: ["admin"])
        try editor.dispatch("remove", ["path": "/list/0"], as: admin)
        #expect(editor.document["list"] == ["theirs"])
    }

    @Test(
        arguments: [
            ("append", ["path": "/list", "value": 1]), ("append", ["path": "/list/-", "value": 1]),
            ("append", ["path": "/inbox/bob", "value": 1]), ("append", ["path": "", "value": 1]),
            ("merge", ["path": "", "value": [:]]), ("merge", ["path": "", "value": .null]),
            ("merge", ["path": "", "value": ["secret": ["key": .null]]]),
            ("merge", ["path": "", "value": ["secret": ["none": .null]]]),
            ("merge", ["path": "", "value": ["secret": [:]]]),
            ("merge", ["path": "", "value": ["inbox": ["eve": 1, "bob": 2]]]),
            ("merge", ["path": "/obj", "value": ["x": [:]]]),
            ("merge", ["path": "/obj/x", "value": ["mine": 1, "yours": 1]]),
            ("merge", ["path": "/list", "value": ["0": 1, "1": 1]]),
            ("set", ["path": "/obj", "value": ["x": ["mine": 1]]]),
            ("increment", ["path": "/n"]), ("remove", ["path": "/obj/x"]),
            ("set", ["path": "", "value": ["public": 1]]),
        ] as [(String, JSON)])
    func `an action needs the right to all that it names`(type: String, payload: JSON) throws {
        #expect(try isForbidden(type, payload))
        #expect(try isForbidden(type, payload, as: .anonymous))
    }

    @Test func `a merge changes what it may, and replaces nothing around that`() throws {
        let editor = try editor()
        try editor.dispatch(
            "merge", ["path": "", "value": ["obj": ["x": ["mine": 3]], "inbox": ["eve": [1]]]],
            as: Self.eve)
        #expect(editor.document["obj"]?["x"] == ["mine": 3, "yours": 2])
        #expect(editor.document["inbox"] == ["bob": [], "eve": [1]])
        // An array, a missing member and an array with numbers for names.
        for value in [["obj": ["y": ["mine": 3]]], ["obj": ["z": ["mine": 3]]], ["list": ["0": 3]]]
            as [JSON]
        {
            let before = editor.document
            let edit: JSON = ["path": "", "value": value]
            #expect(editor.rejection("merge", edit, of: Self.eve)?.code == .conflict, "\(value)")
            #expect(editor.document == before)
        }
    }

    @Test func `what others do before an action's turn gives it no more rights`() throws {
        let editor = try editor()
        let merge = try editor.admitted(
            "merge", #"{"path": "/obj/x", "value": {"mine": 3}}"#, from: Self.eve)
        let remove = try editor.admitted("remove", #"{"path": "/obj/x/mine"}"#, from: Self.eve)
        let admin = Identity("root", roles: ["admin"])
        try editor.dispatch("set", ["path": "/obj/x", "value": ["secret", 7]], as: admin)
        #expect(throws: Rejection.self) { try editor.reduce(merge) }
        #expect(throws: Rejection.self) { try editor.reduce(remove) }
        #expect(editor.document["obj"]?["x"] == ["secret", 7])
        // And the log says the same to whoever reads it without the rules.
        let reader = JSONEditor(["obj": ["x": ["secret", 7]]])
        for action in [merge, remove] {
            let name = type(of: action).wireName
            let logged = try reader.recorded(name, JSONCoding.encode(action))
            #expect(throws: Rejection.self) { try reader.reduce(logged) }
        }
    }

    @Test func `a client doesn't say how far its rights go`() throws {
        let editor = try editor()
        for text in [
            #"{"path": "/obj/x", "value": {"mine": 3}, "narrow": false}"#,
            #"{"path": "/obj/x", "value": {"mine": 3}, "narrow": true}"#,
        ] {
            #expect(throws: Rejection.self) {
                _ = try editor.admitted("merge", text, from: Self.eve)
            }
        }
        #expect(throws: Rejection.self) {
            _ = try editor.admitted(
                "remove", #"{"path": "/obj/x/mine", "narrow": false}"#, from: Self.eve)
        }
    }

    @Test func `a member that is there twice isn't read`() throws {
        let editor = try editor()
        for text in [
            #"{"path": "/inbox/eve", "path": "/secret", "value": 1}"#,
            #"{"path": "/inbox/eve", "p\u0061th": "/secret", "value": 1}"#,
        ] {
            #expect(throws: JSONError.self) { try editor.admitted("set", text, from: Self.eve) }
        }
    }

    @Test func `texts that look alike are two, as ids, roles and steps`() throws {
        let rules = try DocumentRules(
            text: "{\"rules\": [{\"roles\": [\"caf\u{e9}\"], "
                + "\"write\": [\"/$identity\", \"/\u{e9}\"]}]}")
        let editor = JSONEditor([:], obeying: rules)
        let right = Identity("\u{e9}ve", roles: ["caf\u{e9}"])
        for (path, sender, isAllowed) in [
            ("/\u{e9}ve", right, true), ("/e\u{301}ve", right, false), ("/\u{e9}", right, true),
            ("/e\u{301}", right, false),
            ("/e\u{301}ve", Identity("e\u{301}ve", roles: ["cafe\u{301}"]), false),
            ("/\u{e9}", Identity("x", roles: ["cafe\u{301}"]), false),
        ] {
            let edit: JSON = ["path": .string(path), "value": 1]
            #expect((editor.rejection("set", edit, of: sender) == nil) == isAllowed, "\(path)")
        }
    }

    @Test func `a role of a token is none of the words for people`() throws {
        let rules = try DocumentRules(
            text: #"""
                {"rules": [{"roles": ["$devtools", "$anonymous"], "read": [""]}]}
                """#)
        let editor = JSONEditor([:], obeying: rules)
        let sender = Identity("eve", roles: ["$devtools", "$anonymous", "$everybody"])
        #expect(!editor.isReadable(JSONPointer(), by: sender))
        #expect(editor.isReadable(JSONPointer(), by: .anonymous))
    }

    @Test func `a refusal is the same whatever is there`() throws {
        let editor = try editor()
        for type in ["set", "merge", "remove", "append", "increment"] {
            let refusals = ["/secret/key", "/secret/no"].map { path in
                editor.rejection(type, ["path": .string(path), "value": 1, "by": 1], of: Self.eve)
            }
            #expect(refusals[0]?.code == .forbidden)
            #expect(refusals[0]?.title == refusals[1]?.title)
            #expect(
                refusals[0]?.detail?.replacing("/key", with: "/no") == refusals[1]?.detail)
        }
    }

    @Test func `who may only count isn't told the number`() throws {
        let counter = Identity("c", roles: ["counter"])
        let edit: JSON = ["path": "/n", "by": .uint(.max)]
        let rejection = try #require(editor().rejection("increment", edit, of: counter))
        #expect(rejection.code == .conflict)
        #expect(!rejection.description.contains { $0.isNumber && $0 != "6" && $0 != "4" })
    }

    @Test func `a path of any length, and a patch of any size, cost what they are`() throws {
        let rules = (0..<64).map { _ in #"{"roles": ["$everybody"], "merge": ["/*/*/*/a"]}"# }
        let table = try DocumentRules(text: #"{"rules": [\#(rules.joined(separator: ","))]}"#).table
        let person = table.person(Self.eve, in: "/")
        #expect(!table.allows(.merge, Array(repeating: "x", count: 1_000_000), person))
        let wide = JSON.object(JSONObject((0..<50_000).map { ("\($0)", ["b": ["c": ["a": 1]]]) }))
        let merge = MergeValue(path: JSONPath(), value: wide)
        #expect(table.allows(merge, person))
    }

    @Test func `a room that obeys rules has no other actions and selections`() throws {
        let room = JSONRoom.definition(initial: Self.document)
            .obeying(try DocumentRules(text: Self.rules), at: "/")
        #expect(room.selections.count == 1)
        #expect(Set(room.actions.names) == ["set", "merge", "increment", "append", "remove"])
    }
}

/// Rules on a server that runs.
@Suite(.timeLimit(.minutes(30)), .fewAtATime) @MainActor
struct RuledServerTests {
    private let directory: TemporaryDirectory
    private let rules: DocumentRules
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.file("rules.json")
        try Self.write(
            #"""
            {"rules": [
                {"roles": ["$everybody"], "read": ["/public"]},
                {"roles": ["member"], "read": ["/inbox/$identity", "/shared"],
                 "write": ["/inbox/*", "/public"]},
                {"roles": ["admin"], "read": [""], "write": [""]}
            ]}
            """#, to: file)
        rules = try DocumentRules(file: file)
    }

    private static func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file))
    }

    private func server(loops: Int = 1) throws -> SyncServer {
        let room = JSONRoom.definition(
            initial: ["public": 1, "shared": 1, "inbox": [:], "secret": 1])
        let tokens = TokenTable([
            "a token of ada's": Identity("ada", roles: ["member"]),
            "a token of bob's": Identity("bob", roles: ["member"]),
            "a token of eve's": Identity("eve"),
        ])
        return SyncServer(
            port: 0, loops: loops,
            authentication: .tokens(tokens)
                .admittingAnonymous { [rules] in rules.admitsAnonymous },
            rules: rules, paths: try RoomPatterns(["/boards/*"]),
            rooms: { [rules] in room.obeying(rules, at: $0) })
    }

    private func value(_ path: String, on connection: RemoteConnection) throws -> RemoteStore<JSON>
    {
        RemoteStore(
            JSONRoom.value, JSONPlace(path: JSONPath(try JSONPointer(parsing: path))),
            on: connection)
    }

    @Test func `people have what the rules let them have, and anonymous people theirs`()
        async throws
    {
        let server = try server()
        let url = try await server.start().at("/boards/a")
        let ada = RemoteConnection(url, token: { "a token of ada's" })
        let anyone = RemoteConnection(url)
        let stores = [
            try value("/public", on: anyone), try value("/inbox/ada", on: ada),
        ]
        let refused = [
            try value("", on: anyone), try value("/shared", on: anyone),
            try value("/inbox/bob", on: ada), try value("", on: ada),
        ]
        #expect(await eventually { refused.allSatisfy { $0.problem?.code == .forbidden } })
        #expect(await eventually { stores.allSatisfy { $0.state != nil } })
        #expect(refused.allSatisfy { $0.state == nil })
        let add = SetValue(path: JSONPath(JSONPointer(["inbox", "bob"])), value: 1)
        _ = try await ada.dispatch(add).outcome
        await #expect(throws: Rejection.self) { _ = try await anyone.dispatch(add).outcome }
        // One of a batch doesn't open the way for the others.
        let batch = [
            ada.dispatch(add), ada.dispatch(SetValue(path: JSONPath(), value: 1)),
            ada.dispatch(add),
        ]
        await #expect(throws: Rejection.self) { _ = try await batch[1].outcome }
        _ = try await batch[2].outcome
        #expect(await RemoteConnection(url, token: { "no token of theirs" }).end() != nil)
        ada.close()
        anyone.close()
        await server.stop()
    }

    @Test func `a path that matches no pattern is refused with a list of them`() async throws {
        let server = try server()
        let url = try await server.start()
        for path in ["/boards", "/boards/a/b", "/boards/a%20b", "/", "/boards/%C3%A9"] {
            let end = await RemoteConnection(url.at(path), token: { "a token of ada's" }).end()
            #expect(end?.code == Rejection.Code("no-room"), "\(path)")
            #expect(
                end?.title.contains("; there are: /boards/*.") == true, "\(path): \(end as Any)")
        }
        await server.stop()
    }

    @Test(arguments: [1, 3])
    func `rules that are read again end what they don't allow any more`(loops: Int) async throws {
        let server = try server(loops: loops)
        let url = try await server.start()
        let ada = RemoteConnection(url.at("/boards/a"), token: { "a token of ada's" })
        let bob = RemoteConnection(url.at("/boards/b"), token: { "a token of bob's" })
        let eve = RemoteConnection(url.at("/boards/c"), token: { "a token of eve's" })
        let (shared, open) = (try value("/shared", on: ada), try value("/public", on: ada))
        let (others, hers) = (try value("/shared", on: bob), try value("/public", on: eve))
        #expect(
            await eventually {
                [shared, open, others, hers].allSatisfy { $0.state == 1 }
            })
        // A file that is wrong changes nothing.
        try Self.write(#"{"rules": [{"role": []}]}"#, to: file)
        await #expect(throws: ServerError.self) { try await server.reload() }
        #expect(rules.count == 3)
        try Self.write(
            #"""
            {"rules": [{"roles": ["member"], "read": ["/public"], "write": ["/public", "/shared"]}]}
            """#, to: file)
        try await server.reload()
        #expect(
            await eventually {
                shared.problem?.code == .forbidden && others.problem?.code == .forbidden
            })
        #expect(await eve.end()?.code == .forbidden)
        // What was lost isn't sent any more, the rest is.
        for name in ["shared", "public"] {
            _ = try await ada.dispatch(
                SetValue(path: JSONPath(JSONPointer([name])), value: 2)
            ).outcome
        }
        #expect(await eventually { open.state == 2 })
        #expect(shared.state == 1)
        #expect(await RemoteConnection(url.at("/boards/a")).end()?.code == .unauthenticated)
        for connection in [ada, bob] { connection.close() }
        await server.stop()
    }
}
