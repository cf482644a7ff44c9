import TestSupport
import Testing

@testable import StorecastNATS

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct NATSConfigurationTests {
    private func servers(_ text: String) throws -> [String] {
        try NATSConfiguration(text).servers.map(\.description)
    }

    @Test func `an address may leave out what is usual`() throws {
        #expect(try servers("nats://a:1") == ["a:1"])
        #expect(try servers("a") == ["a:4222"])
        #expect(
            try servers("nats://[::1]:5/,10.0.0.1:6, b") == ["[::1]:5", "10.0.0.1:6", "b:4222"])
        #expect(try NATSConfiguration("nats://a").tls == false)
        #expect(try NATSConfiguration("tls://a:1,b").tls == true)
    }

    @Test(arguments: [
        "", "nats://", "http://a", "a:", "a:0", "a:65536", "a:+1", "a:1x", "nats://a/b", "[::1",
        "a,",
        "a b", "[]:1",
    ])
    func `what isn't an address is said`(_ text: String) {
        #expect(throws: NATSError.self) { try NATSConfiguration(text) }
    }

    @Test func `an address has no place for a password, nor has its error`() {
        let error = #expect(throws: NATSError.self) {
            try NATSConfiguration("nats://ada:secret@a:1")
        }
        #expect(error?.description.contains("secret") == false)
        #expect(
            error?.description.contains("give them on their own: --nats-user NAME --nats-token")
                == true)
    }

    // The key of docs.nats.io, "NKeys".
    private let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
    private let publicKey = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"

    @Test func `a key knows its public part`() throws {
        let key = try NKey(seed: seed)
        #expect(key.publicKey == publicKey)
        // It is shown nowhere, nor are the bytes that it stands for.
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "NKey" && dumped == "- NKey\n")
    }

    @Test(arguments: [
        "", "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VA",
        "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
        "suacssl3uahudxkfsnvuzrf5uhpmwz6bfdtj7m6usdxiednppqyyycu3vy",
    ])
    func `what isn't a seed is refused, and not shown`(_ text: String) {
        let error = #expect(throws: NATSError.self) { try NKey(seed: text) }
        #expect(text.isEmpty || error?.description.contains(text) == false)
    }

    @Test func `a file of credentials holds a JWT and its key`() throws {
        let file = """
            -----BEGIN NATS USER JWT-----
            eyJ0eXAi.eyJq---dGki.c2ln
            ------END NATS USER JWT------

            ************************* IMPORTANT *************************
            -----BEGIN USER NKEY SEED-----
            \(seed)
            ------END USER NKEY SEED------

            """
        guard case .signed(let jwt, let key) = try NATSConfiguration.Credentials(file: file) else {
            Issue.record("They aren't signed.")
            return
        }
        #expect(jwt == "eyJ0eXAi.eyJq---dGki.c2ln")
        #expect(key.publicKey == publicKey)
        for broken in [
            "", file.replacing("USER NKEY", with: "OTHER"), file.replacing("SU", with: "XX"),
        ] {
            #expect(throws: NATSError.self) { try NATSConfiguration.Credentials(file: broken) }
        }
    }
}
