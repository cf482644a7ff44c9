import StorecastWire
import Testing

@testable import StorecastNATS

/// What a server says of itself, and what a client says first.
struct NATSServerInformationTests {
    private func information(_ text: String) throws -> NATSServerInformation {
        try Array(text.utf8).withUnsafeBytes { try NATSServerInformation($0) }
    }

    @Test func `of what a server doesn't say, the usual is assumed`() throws {
        let least = try information("{}")
        #expect(least.name == "NATS")
        #expect(least.version == "")
        #expect(least.mostBytes == 1 << 20)
        #expect(least.cluster == nil)
        #expect(least.nonce == "")
        #expect(least.addresses == [])
        for flag in [
            least.hasJetStream, least.hasHeaders, least.requiresTLS, least.offersTLS,
            least.isLeaving,
        ] { #expect(!flag) }
        #expect(try information(#"{"server_id":"i"}"#).name == "i")
        #expect(try information(#"{"server_id":"i","server_name":"n"}"#).name == "n")
    }

    @Test func `what a server says is known, but for addresses that are none`() throws {
        let all = try information(
            """
            {"server_id":"i","version":"2.12.1","max_payload":65536,"cluster":"c","nonce":"x",
            "jetstream":true,"headers":true,"ldm":true,
            "connect_urls":["10.0.0.1:4222","","a:0",7,"[::1]:5"]}
            """)
        #expect(all.version == "2.12.1" && all.mostBytes == 65_536)
        #expect(all.cluster == "c" && all.nonce == "x")
        #expect(all.hasJetStream && all.hasHeaders && all.isLeaving)
        #expect(all.addresses.map(\.description) == ["10.0.0.1:4222", "[::1]:5"])
    }

    @Test func `who must encrypt also may`() throws {
        let required = try information(#"{"tls_required":true}"#)
        #expect(required.requiresTLS && required.offersTLS)
        let offered = try information(#"{"tls_available":true}"#)
        #expect(!offered.requiresTLS && offered.offersTLS)
    }

    @Test(arguments: ["", "[]", "7", "{", "null"])
    func `what can't be read is a violation`(_ text: String) {
        let expected = NATSError.violation(
            "NATS introduced itself in a way that can't be read.")
        #expect(throws: expected) { try information(text) }
    }

    @Test(
        arguments: [
            (#""headers":true"#, nil),
            (#""headers":true,"max_payload":65536"#, nil),
            (
                #""headers":true,"max_payload":65535"#,
                "n takes messages of 65535 bytes; at least 65536 are needed."
            ),
            (#""headers":false"#, "n takes no headers, which are needed."),
            (#""jetstream":true"#, "n takes no headers, which are needed."),
        ] as [(String, String?)])
    func `a server that can't do what is needed is refused`(
        members: String, problem: String?
    ) throws {
        let text = #"{"server_name":"n","version":"2.11.0",\#(members)}"#
        #expect(try information(text).problem == problem)
    }

    // MARK: Greeting

    private func greeting(
        _ credentials: NATSConfiguration.Credentials, encrypts: Bool = false
    ) throws -> JSON {
        var configuration = try NATSConfiguration("nats://a")
        configuration.credentials = credentials
        configuration.name = "me"
        return try JSONDocument(configuration.greeting(nonce: "abc", encrypts: encrypts)).root.json
    }

    @Test(arguments: [false, true])
    func `a client asks for headers, its own messages, and to hear that nobody answers`(
        encrypts: Bool
    ) throws {
        let expected: JSON = [
            "verbose": false, "pedantic": false, "tls_required": .bool(encrypts), "name": "me",
            "lang": "swift", "version": "1", "protocol": 1, "echo": true, "headers": true,
            "no_responders": true,
        ]
        #expect(try greeting(.none, encrypts: encrypts) == expected)
    }

    // The key of docs.nats.io, "NKeys"; what it signs is another program's.
    private static let key = try? NKey(
        seed: "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY")
    private static let signature =
        "o2SF8zWR9V5LJJ2NObynrTKSv6TEvtjxqTwSaAO0caLdT_gugdZfADVhygclhPAm1OGy0LWzDwI0lBKgEXS_Cw"

    @Test func `a client shows what it has, and nothing else`() throws {
        let key = try #require(Self.key)
        let names = ["auth_token", "user", "pass", "nkey", "sig", "jwt"]
        func shown(_ credentials: NATSConfiguration.Credentials) throws -> [String: String] {
            let greeting = try greeting(credentials)
            return names.reduce(into: [:]) { $0[$1] = greeting[$1]?.string }
        }
        #expect(try shown(.none) == [:])
        #expect(try shown(.token("t")) == ["auth_token": "t"])
        #expect(try shown(.user("u", password: "p")) == ["user": "u", "pass": "p"])
        #expect(
            try shown(.key(key)) == [
                "nkey": "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
                "sig": Self.signature,
            ])
        #expect(
            try shown(.signed(jwt: "j", key)) == ["jwt": "j", "sig": Self.signature])
    }

    @Test func `credentials are shown nowhere`() throws {
        let key = try #require(Self.key)
        for credentials in [
            .token("s3cret"), .user("ada", password: "s3cret"), .key(key),
            .signed(jwt: "s3cret", key),
        ] as [NATSConfiguration.Credentials] {
            var dumped = ""
            dump(credentials, to: &dumped)
            #expect("\(credentials)" == "credentials")
            #expect(dumped == "- credentials\n")
        }
        #expect("\(NATSConfiguration.Credentials.none)" == "none")
    }

    @Test func `what isn't said of a connection is what is usual`() throws {
        let configuration = try NATSConfiguration("nats://a")
        #expect(configuration.name == "storecast")
        #expect(configuration.connectTimeout == .seconds(5))
        #expect(configuration.pingInterval == .seconds(10))
        #expect(configuration.mostBufferedBytes == 64 << 20)
        #expect(configuration.certificateAuthorityFile == nil)
        #expect("\(configuration.credentials)" == "none")
    }

    @Test func `each error is a sentence`() {
        let sentence = "It is a sentence."
        for error in [
            .unavailable(sentence), .unanswered(sentence), .missing(sentence),
            .forbidden(sentence), .refused(sentence), .violation(sentence),
        ] as [NATSError] { #expect(error.description == sentence) }
        #expect(NATSError.noResponders.description == "Nobody at NATS answers to this subject.")
        #expect(
            NATSError.neverStarted("shop")
                == .refused(
                    "No server of the cluster 'shop' has been started at this NATS yet; is "
                        + "--nats-name right?"))
    }
}
