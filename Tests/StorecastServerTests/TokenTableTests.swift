import Foundation
import StorecastClient
import Synchronization
import TestSupport
import Testing

@testable import StorecastServer

struct TokenTableTests {
    private let directory: TemporaryDirectory
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.file("tokens.json")
    }

    private static let ada = "ada-token-0000001"
    private static let bob = "bob-token-0000001"
    /// By `printf %s bob-token-0000001 | sha256sum`.
    private static let bobsDigest =
        "458ae17be14a0d7422610768f508a54e1aad9277287b4069b7906c75a6b033c0"

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file))
    }

    private func table(_ text: String) throws -> TokenTable {
        try write(text)
        return try TokenTable(file: file)
    }

    @Test func `a token stands for whom the table says, and only the whole token does`() {
        let table = TokenTable([Self.ada: Identity("ada", roles: ["editor"])])
        #expect(table[Self.ada] == Identity("ada", roles: ["editor"]))
        for other in ["", "ada", Self.bob, Self.ada + "0", "A" + Self.ada.dropFirst()] {
            #expect(table[other] == nil)
        }
    }

    @Test func `texts that look alike are two tokens`() {
        let (one, two) = ("caf\u{e9}-0123456789abcdef", "cafe\u{301}-0123456789abcdef")
        let table = TokenTable([one: Identity("ada")])
        #expect(table[one] != nil)
        #expect(table[two] == nil)
    }

    @Test func `a file has tokens, or their digests`() throws {
        let table = try table(
            """
            [{"token": "\(Self.ada)", "id": "ada", "roles": ["editor", "owner"]},
             {"sha256": "\(Self.bobsDigest.uppercased())", "id": "b o b", "expires": 1798761600.5}]
            """)
        #expect(table.count == 2)
        #expect(table[Self.ada] == Identity("ada", roles: ["editor", "owner"]))
        #expect(table[Self.ada]?.expires == nil)
        #expect(table[Self.bob]?.id == "b o b")
        #expect(table[Self.bob]?.expires == Timestamp(secondsSince1970: 1_798_761_600.5))
        // The digest isn't a token.
        #expect(table[Self.bobsDigest] == nil)
    }

    private static let unreadable = [
        ("", "at line 1, column 1 the JSON is not complete."), ("{}", "isn't an array"),
        ("[7]", "element 1 isn't an object"),
        (#"[{"token": "0123456789abcdef"}]"#, "element 1 has no 'id'"),
        (#"[{"token": "0123456789abcdef", "id": ""}]"#, "element 1 has an empty 'id'"),
        (#"[{"token": "0123456789abcdef", "id": 7}]"#, "element 1 has no 'id'"),
        (#"[{"token": "0123456789abcde", "id": "ada"}]"#, "fewer than 16 bytes"),
        (#"[{"id": "ada"}]"#, "neither 'token' nor 'sha256'"),
        (
            #"[{"token": "0123456789abcdef", "sha256": "\#(bobsDigest)", "id": "ada"}]"#,
            "or both"
        ),
        (#"[{"sha256": "0123456789abcdef", "id": "ada"}]"#, "isn't 64 hexadecimal digits"),
        (#"[{"token": "0123456789abcdef", "id": "ada", "role": "x"}]"#, "has other members"),
        (#"[{"token": "0123456789abcdef", "id": "ada", "roles": "x"}]"#, "aren't texts"),
        (#"[{"token": "0123456789abcdef", "id": "ada", "roles": [1]}]"#, "aren't texts"),
        (#"[{"token": "0123456789abcdef", "id": "ada", "expires": "now"}]"#, "without a number"),
        (#"[{"token": "0123456789abcdef", "id": "server"}]"#, "the server's own"),
        (#"[{"token": "0123456789abcdef", "id": "storecast.x"}]"#, "the server's own"),
        (
            #"[{"sha256": "\#(bobsDigest)", "id": "a"}, {"token": "\#(bob)", "id": "b"}]"#,
            "element 2 has a token that is there already"
        ),
    ]

    @Test(arguments: unreadable)
    func `a file of another form is refused, without a word of the tokens in it`(
        text: String, problem: String
    ) throws {
        try write(text)
        let error = #expect(throws: ServerError.self) { try TokenTable(file: file) }
        #expect(error?.code == .tokensUnreadable)
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("0123456789abcde") == false)
        #expect(error?.description.hasSuffix("..") == false)
    }

    @Test func `a file that isn't there is refused`() {
        #expect(throws: ServerError.self) { try TokenTable(file: directory.file("none")) }
    }

    @Test func `a new token can't be guessed, and is long enough to be one`() {
        let tokens = (0..<64).map { _ in TokenTable.makeToken() }
        #expect(Set(tokens).count == 64)
        for token in tokens {
            #expect(token.utf8.count == 32)
            #expect(TokenTable([token: Identity("ada")])[token]?.id == "ada")
        }
    }

    @Test func `a file larger than may be isn't read, and one that just fits is`() throws {
        try write("12345678")
        #expect(try ServerFile.contents(of: file, atMost: 8) == Array("12345678".utf8))
        let error = #expect(throws: ServerFile.Problem.self) {
            try ServerFile.contents(of: file, atMost: 7)
        }
        #expect(error?.description == "it has more than 0 KiB")
        let missing = #expect(throws: ServerFile.Problem.self) {
            try ServerFile.contents(of: directory.file("none"), atMost: 7)
        }
        #expect(missing?.description == "No such file or directory")
        // A folder can be opened, and not be read.
        #expect(throws: ServerFile.Problem.self) {
            try ServerFile.contents(of: directory.path, atMost: 7)
        }
        // A pipe of which nobody writes anything has nothing.
        #expect(mkfifo(directory.file("pipe"), 0o600) == 0)
        #expect(try ServerFile.contents(of: directory.file("pipe"), atMost: 7) == [])
    }

    // MARK: Authentication

    @Test func `who shows no token is told to, and who shows another that it isn't one`() throws {
        let table = TokenTable([Self.ada: Identity("ada")])
        guard case .known(let identify) = Authentication.tokens(table).way else {
            Issue.record("It is known at once.")
            return
        }
        #expect(try identify(Credentials(token: Self.ada, path: "/")).id == "ada")
        for (token, title) in [
            (nil, "This server asks for a token."), ("x", "The token isn't one of this server's."),
        ] as [(String?, String)] {
            let error = #expect(throws: Rejection.self) {
                try identify(Credentials(token: token, path: "/"))
            }
            #expect(error?.code == .unauthenticated && error?.title == title)
        }
    }

    @Test func `only what is in a file is read again`() async throws {
        let fixed = Authentication.tokens(TokenTable([Self.ada: Identity("ada")]))
        #expect(fixed.reload == nil && fixed.prepare == nil)
        #expect(Authentication.anonymous.reload == nil && Authentication.anonymous.prepare == nil)
        let read = Authentication.tokens(
            try table(#"[{"token": "\#(Self.ada)", "id": "ada"}]"#))
        #expect(read.prepare == nil, "It has been read.")
        try write("[]")
        let reload = try #require(read.reload)
        let isRevoked = try await reload()
        #expect(isRevoked(Identity("ada")) && !isRevoked(Identity("bob")))
    }

    @Test(arguments: [false, true])
    func `what is to be read at the start is, also where anonymous people may come in`(
        admitsAnonymous: Bool
    ) throws {
        let plain = Authentication.tokens(file: file)
        let authentication = admitsAnonymous ? plain.admittingAnonymous { false } : plain
        let prepare = try #require(authentication.prepare)
        let error = #expect(throws: ServerError.self) { try prepare() }
        #expect(error?.code == .tokensUnreadable)
        try write(#"[{"token": "\#(Self.ada)", "id": "ada"}]"#)
        try prepare()
        guard case .known(let identify) = authentication.way else {
            Issue.record("It is known at once.")
            return
        }
        #expect(try identify(Credentials(token: Self.ada, path: "/")).id == "ada")
        #expect(authentication.reload != nil)
    }

    @Test func `an identity is refused until it is let in again, and so many at most`() {
        let revocations = Revocations()
        #expect(!revocations.contains("ada") && !revocations.remove("ada"))
        #expect(revocations.add("bob") && revocations.add("ada") && revocations.add("ada"))
        #expect(revocations.all == ["ada", "bob"])
        #expect(revocations.contains("ada") && !revocations.contains("Ada"))
        #expect((2..<Revocations.most).allSatisfy { revocations.add("\($0)") })
        #expect(!revocations.add("eve") && !revocations.contains("eve"))
        #expect(revocations.add("ada"), "It is refused already.")
        #expect(revocations.remove("bob") && !revocations.contains("bob"))
        #expect(revocations.add("eve") && revocations.all.count == Revocations.most)
    }

    // MARK: Reloading

    @Test func `whose token is gone or means something else is named, unless the file is broken`()
        throws
    {
        func row(_ token: Int, _ rest: String) -> String {
            #"{"token": "token-0123456789-\#(token)", "id": \#(rest)}"#
        }
        let table = try table(
            "[\(row(1, #""ada""#)), \(row(2, #""ada""#)), \(row(3, #""bob""#)), "
                + "\(row(4, #""cyd", "roles": ["x"]"#)), \(row(5, #""dan", "expires": 7"#)), "
                + "\(row(6, #""eve""#))]")
        try write("[")
        #expect(throws: ServerError.self) { try table.reload() }
        #expect(table.count == 6)
        // Ada has one fewer, Bob's is Eve's now, Cyd and Dan have other rights; Eve's is as before.
        try write(
            "[\(row(1, #""ada""#)), \(row(3, #""eve""#)), \(row(4, #""cyd""#)), "
                + "\(row(5, #""dan", "expires": 8"#)), \(row(6, #""eve""#)), "
                + "\(row(7, #""fay""#))]")
        let isRevoked = try table.reload()
        let ids = ["ada", "bob", "cyd", "dan", "eve", "fay", "adA", ""]
        #expect(ids.filter { isRevoked(Identity($0)) } == ["ada", "bob", "cyd", "dan"])
        #expect(table["token-0123456789-2"] == nil)
        #expect(table["token-0123456789-3"]?.id == "eve")
    }

    @Test(arguments: [false, true])
    func `a server reloads it, and those whose tokens are gone are out`(
        isEncrypted: Bool
    ) async throws {
        let certificates = isEncrypted ? try TestCertificates() : nil
        let transport = WebSocketTransport(trusting: certificates?.root)
        let table = try table(
            """
            [{"token": "\(Self.ada)", "id": "ada"}, {"token": "\(Self.bob)", "id": "bob"}]
            """)
        let server = SyncServer(
            port: 0,
            certificate: try certificates.map {
                try TLSCertificate(file: $0.certificate, keyFile: $0.key)
            }, authentication: .tokens(table), rooms: { _ in Tallies.room })
        let url = try await server.start()
        func connect(_ token: String?) -> RemoteConnection {
            guard let token else { return RemoteConnection(url, transport: transport) }
            return RemoteConnection(url, token: { token }, transport: transport)
        }
        let (ada, bob) = (connect(Self.ada), connect(Self.bob))
        #expect(await connect("cyd-token-0000001").end()?.code == .unauthenticated)
        #expect(await connect(nil).end()?.code == .unauthenticated)
        for connection in [ada, bob] {
            #expect(await connection.isLive())
            _ = try await connection.dispatch(Add(number: 1)).outcome
        }
        try write(#"[{"token": "\#(Self.bob)", "id": "bob"}]"#)
        try await server.reload()
        ada.reconnect()
        #expect(await ada.end()?.code == .unauthenticated)
        #expect(bob.status == .live)
        bob.close()
        await server.stop()
    }
}
