import Foundation
import StorecastClient
import StorecastServer
import StorecastWire
import Synchronization
import TestSupport
import Testing

@testable import StorecastJWT

/// What the tokens of another implementation (`Tests/Vectors/jwt/make.py`) and of RFC 7515 stand for.
@Suite(.fewAtATime) struct JWTTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let token: String
        let expected: JSON

        var testDescription: String { expected["name"]?.string ?? "" }
    }

    static let vectors = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Vectors/jwt")

    private static func vector(_ name: String) -> JSON {
        guard let data = FileManager.default.contents(atPath: vectors.appending(path: name).path)
        else { preconditionFailure("There is no \(name).") }
        return parsed(String(decoding: data, as: UTF8.self))
    }

    static let tokens = vector("tokens.json")
    static let cases = (tokens["cases"]?.array ?? []).map {
        Case(token: $0["token"]?.string ?? "", expected: $0)
    }
    static let now = Timestamp(secondsSince1970: tokens["now"]?.double ?? 0)
    static let keys = Array("\(tokens["keys"] ?? .null)".utf8)

    private func verifier(_ keys: JWTKeys) -> JWTVerifier {
        JWTVerifier(
            keys: keys, issuer: "https://login.test/", audience: "board", leeway: .seconds(30)
        ) { try JWTVerifier.identity($0, roles: "roles") }
    }

    @Test(arguments: cases)
    func `a token stands for whom it says, or is refused for the reason that it has`(
        _ token: Case
    ) async throws {
        let verifier = verifier(.fetched { Self.keys })
        let expected = token.expected
        do {
            let identity = try await verifier.identity(token: token.token, at: Self.now)
            #expect(expected["error"] == nil, "\(identity)")
            let roles = (expected["roles"]?.array ?? []).compactMap(\.string)
            #expect(identity == Identity(expected["id"]?.string ?? "", roles: Set(roles)))
            let end = try #require(expected["expires"]?.double) + 30
            #expect(identity.expires == Timestamp(secondsSince1970: end))
        } catch let rejection as Rejection {
            let error = try #require(expected["error"]?.string, "\(rejection)")
            #expect(rejection.code == .unauthenticated)
            #expect(rejection.description.contains(error), "\(rejection)")
            #expect(token.token.count < 10 || !rejection.description.contains(token.token))
        }
    }

    @Test func `there are tokens of every kind`() {
        #expect(Self.cases.count > 80)
        #expect(Self.cases.filter { $0.expected["error"] == nil }.count > 10)
    }

    @Test func `the examples of RFC 7515 are valid until their end`() async throws {
        let examples = try #require(Self.vector("rfc7515.json").array)
        #expect(examples.count == 3)
        for example in examples {
            let set = #"{"keys": [\#(example["key"] ?? .null)]}"#
            let verifier = JWTVerifier(
                keys: .fetched { Array(set.utf8) }, issuer: "joe", audience: nil, leeway: .zero
            ) { claims in
                #expect(claims["http://example.com/is_root"] == true)
                return Identity("root")
            }
            let end = 1_300_819_380.0
            let identity = try await verifier.identity(
                token: example["token"]?.string, at: Timestamp(secondsSince1970: end - 1))
            #expect(identity == Identity("root"))
            #expect(identity.expires == Timestamp(secondsSince1970: end))
            await #expect(throws: Rejection(.unauthenticated, "The token has expired.")) {
                try await verifier.identity(
                    token: example["token"]?.string, at: Timestamp(secondsSince1970: end))
            }
        }
    }

    /// Wherever a letter is changed, the token is no other's and no longer valid.
    @Test func `a token with any other letter in it is refused`() async throws {
        let verifier = verifier(.fetched { Self.keys })
        for token in Self.cases.prefix(5).map(\.token) {
            let letters = Array(token.utf8)
            for place in letters.indices {
                var other = letters
                other[place] = other[place] == UInt8(ascii: "A") ? 0x42 : 0x41
                await #expect(throws: Rejection.self) {
                    try await verifier.identity(
                        token: String(decoding: other, as: UTF8.self), at: Self.now)
                }
            }
        }
    }

    @Test func `no token is refused, and so is anything before the keys are there`() async throws {
        let none = verifier(.fetched { throw CancellationError() })
        await #expect(throws: Rejection.self) { try await none.identity(token: nil, at: Self.now) }
        do {
            _ = try await none.identity(token: Self.cases[0].token, at: Self.now)
            #expect(Bool(false), "It was taken.")
        } catch let rejection as Rejection {
            #expect(rejection.retryable)
        }
    }

    @Test func `a secret verifies tokens that name no key`() async throws {
        // The first key of the set, the only secret.
        let text = try #require(Self.tokens["keys"]?["keys"]?[0]?["k"]?.string)
        let secret = try #require(Base64URL.bytes(of: text.utf8))
        let verifier = verifier(await .secret(secret))
        let unnamed = try #require(
            Self.cases.first { $0.testDescription.contains("HS256, which names no") })
        #expect(try await verifier.identity(token: unnamed.token, at: Self.now).id == "ada")
    }

    // MARK: Sets

    @Test(arguments: [
        ("", "JSON is not complete"), ("[]", "isn't a JWK set"),
        (#"{"keys": {}}"#, "isn't a JWK set"),
        (#"{"keys": []}"#, "has no key"), (#"{"keys": [{"kty": "later"}]}"#, "has no key"),
        (#"{"keys": [7]}"#, "key 0 isn't an object"),
        (#"{"keys": [{"kty": 7}]}"#, "key 0 has an odd 'kty'"),
        (#"{"keys": [{"kty": "oct", "kid": 7, "k": "AA"}]}"#, "key 0 has an odd 'kid'"),
        (#"{"keys": [{"kty": "oct"}]}"#, "key 0 has no 'k'"),
        (#"{"keys": [{"kty": "oct", "k": "c2hvcnQ"}]}"#, "is no secret of 32 bytes"),
        (#"{"keys": [{"kty": "RSA", "n": "AQAB"}]}"#, "key 0 has no 'e'"),
        // Of 1,024 bits; and no point of the curve.
        (
            #"{"keys": [{"kty": "RSA", "e": "AQAB", "n": "\#(letters("_", 170))8"}]}"#,
            "key 0 can't be used"
        ),
        (
            #"{"keys": [{"kty": "EC", "crv": "P-256", "x": "\#(letters("A", 43))", "#
                + #""y": "\#(letters("A", 43))"}]}"#, "key 0 can't be used"
        ),
    ])
    func `a set that isn't one, or has a key that can't be used, is refused`(
        text: String, problem: String
    ) async throws {
        let error = await #expect(throws: KeySet.Problem.self) {
            try await KeySet(Array(text.utf8))
        }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test func `two keys for one algorithm are told apart by their names only`() async throws {
        let set = try await KeySet(Array(Self.secrets(["a", "b"]).utf8))
        #expect(set.key("a", for: .hs256) != nil)
        #expect(set.key(nil, for: .hs256) == nil)
        #expect(set.key("a", for: .rs256) == nil)
    }

    /// A set of secrets with these names.
    private static func secrets(_ names: [String]) -> String {
        let keys = names.map { #"{"kty": "oct", "kid": "\#($0)", "k": "\#(secret($0))"}"# }
        return #"{"keys": [\#(keys.joined(separator: ","))]}"#
    }

    private static func secret(_ letter: String) -> String {
        letters(letter, 42) + "A"
    }

    private static func letters(_ letter: String, _ count: Int) -> String {
        String(repeating: letter, count: count)
    }

    // MARK: New keys

    @Test func `a key that isn't there is looked for once a minute, and found when it is there`()
        async throws
    {
        let fetched = Mutex((count: 0, keys: ["a"]))
        let keys = JWTKeys.fetched {
            fetched.withLock { fetched in
                fetched.count += 1
                return Array(Self.secrets(fetched.keys).utf8)
            }
        }
        let start = ContinuousClock.now
        #expect(try await keys.ring.key("a", for: .hs256, at: start) != nil)
        for second in 1...59 {
            let key = try await keys.ring.key("b", for: .hs256, at: start + .seconds(second))
            #expect(key == nil)
        }
        #expect(fetched.withLock(\.count) == 1)
        fetched.withLock { $0.keys = ["a", "b"] }
        #expect(try await keys.ring.key("b", for: .hs256, at: start + .seconds(60)) != nil)
        #expect(fetched.withLock(\.count) == 2)
        for second in 61...119 {
            let key = try await keys.ring.key("c", for: .hs256, at: start + .seconds(second))
            #expect(key == nil)
        }
        #expect(fetched.withLock(\.count) == 2)
        #expect(try await keys.ring.key("c", for: .hs256, at: start + .seconds(120)) == nil)
        #expect(fetched.withLock(\.count) == 3)
        #expect(try await keys.ring.reload())
        fetched.withLock { $0.keys = ["b"] }
        #expect(try await !keys.ring.reload())
        #expect(try await keys.ring.key("a", for: .hs256) == nil)
    }

    @Test func `keys that couldn't be got are got the next time`() async throws {
        // An empty text is no set.
        let set = Mutex("")
        let keys = JWTKeys.fetched { Array(set.withLock { $0 }.utf8) }
        let start = ContinuousClock.now
        await #expect(throws: Rejection.self) {
            _ = try await keys.ring.key("a", for: .hs256, at: start)
        }
        set.withLock { $0 = Self.secrets(["a"]) }
        #expect(try await keys.ring.key("a", for: .hs256, at: start + .seconds(60)) != nil)
        set.withLock { $0 = "" }
        await #expect(throws: KeySet.Problem.self) { _ = try await keys.ring.reload() }
        set.withLock { $0 = Self.secrets(["a", "b"]) }
        #expect(try await keys.ring.reload())
        #expect(try await keys.ring.key("b", for: .hs256) != nil)
    }

    @Test func `keys are got once for all who wait for them`() async throws {
        let count = Mutex(0)
        let (gate, open) = AsyncStream<Void>.makeStream()
        let keys = JWTKeys.fetched {
            count.withLock { $0 += 1 }
            for await _ in gate { break }
            return Array(Self.secrets(["a"]).utf8)
        }
        let found = (0..<5).map { _ in
            Task { try await keys.ring.key("a", for: .hs256) != nil }
        }
        #expect(await eventually { count.withLock(\.self) == 1 })
        open.finish()
        for task in found { #expect(try await task.value) }
        #expect(count.withLock(\.self) == 1)
    }

    @Test func `keys that never change are complete whenever they are read again`() async throws {
        let keys = await JWTKeys.secret([UInt8](repeating: 7, count: 32))
        #expect(try await keys.ring.reload())
        #expect(try await keys.ring.key(nil, for: .hs256) != nil)
        #expect(try await keys.ring.key("a", for: .hs256) == nil)
    }

    @Test func `a file of keys has 1 MiB at most, and its error has its path`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("keys.json")
        let set = Self.secrets(["a"])
        for (bytes, isTaken) in [(1 << 20, true), (1 << 20 + 1, false)] {
            let text = set + String(repeating: " ", count: bytes - set.utf8.count)
            try Data(text.utf8).write(to: URL(filePath: file))
            let keys = try? await JWTKeys.file(file)
            #expect((keys != nil) == isTaken, "\(bytes)")
        }
        await #expect(throws: KeySet.Problem.self) {
            try await KeySet([UInt8](repeating: 0x20, count: 1 << 20 + 1))
        }
        for path in [file, directory.file("none")] {
            let error = await #expect(throws: ServerError.self) { try await JWTKeys.file(path) }
            #expect(error?.code == .keysUnreadable)
            #expect(error?.description.contains("The keys in '\(path)' can't be read: ") == true)
        }
    }

    @Test(arguments: [
        (42, "", false), (43, "", true), (43, #", "alg": "HS256""#, true),
        (43, #", "alg": "HS512""#, false), (43, #", "use": "sig""#, true),
        (43, #", "use": "enc""#, false), (43, #", "key_ops": ["sign", "verify"]"#, true),
        (43, #", "key_ops": ["sign"]"#, false), (43, #", "key_ops": []"#, false),
    ])
    func `a secret has 32 bytes, and counts if it is for that`(
        letters: Int, member: String, isTaken: Bool
    ) async throws {
        let text = Self.letters("A", letters)
        let set = #"{"keys": [{"kty": "oct", "k": "\#(text)"\#(member)}]}"#
        let keys = try? await KeySet(Array(set.utf8))
        #expect((keys?.key(nil, for: .hs256) != nil) == isTaken)
    }

    @Test func `a server lets in who has a token, and asks all again when a key is gone`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let file = directory.file("keys.json")
        func write(_ names: [String]) throws {
            try Data(Self.secrets(names).utf8).write(to: URL(filePath: file))
        }
        try write(["a", "b"])
        let room = RoomDefinition(
            state: 0, actions: [], selections: [Selection("count") { (count: Int) in count }]
        ) { _, _ in }
        let server = SyncServer(
            port: 0,
            authentication: .jwt(
                try await .file(file), issuer: nil, audience: nil
            ) { claims in Identity(claims["sub"]?.string ?? "") },
            rooms: { _ in room })
        let url = try await server.start()
        let connections = try ["a", "b"].map { name in
            let token = try Self.token(name)
            return RemoteConnection(url, token: { token })
        }
        for connection in connections {
            for await status in connection.statuses.limited where status == .live { break }
        }
        let stranger = RemoteConnection(url, token: { "e30.e30." })
        #expect(try await stranger.statuses.collected().last?.isClosed == true)
        try write(["b"])
        try await server.reload()
        #expect(try await connections[0].statuses.collected().last?.isClosed == true)
        for await status in connections[1].statuses.limited where status == .live { break }
        try write([])
        await #expect(throws: ServerError.self) { try await server.reload() }
        #expect(connections[1].status == .live)
        // The file is good again.
        try write(["b", "c"])
        try await server.reload()
        #expect(connections[1].status == .live)
        connections[1].close()
        await server.stop()
    }

    /// A token of `ada`'s for ever, by the key of that name; the signature is the house's own HMAC.
    private static func token(_ name: String) throws -> String {
        let head = text(of: Data(#"{"alg":"HS256","kid":"\#(name)"}"#.utf8))
        let signed = "\(head).\(text(of: Data(#"{"sub":"ada","exp":4102444800}"#.utf8)))"
        let secret = try #require(Base64URL.bytes(of: secret(name).utf8))
        let pad = { (byte: UInt8) in
            (0..<64).map { $0 < secret.count ? secret[$0] ^ byte : byte }
        }
        let inner = SHA256.digest(of: pad(0x36) + Array(signed.utf8))
        return "\(signed).\(text(of: Data(SHA256.digest(of: pad(0x5c) + inner))))"
    }

    private static func text(of data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}

extension RemoteConnection.Status {
    fileprivate var isClosed: Bool { if case .closed = self { true } else { false } }
}
