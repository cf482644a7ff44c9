import Foundation
import StorecastNATS
import TestSupport
import Testing

@testable import StorecastCluster

/// What a server's own code says of NATS and of its cluster, and what is wrong with it.
struct NATSServersTests {
    private static let secret = "s3cret and long enough"
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ text: String) throws -> String {
        let path = directory.file("secret")
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func `everything that is said holds`() throws {
        let servers = try NATSServers(
            "tls://a,nats://[::1]:7", name: "board2", replicas: 5,
            credentials: .user("ada", password: Self.secret), trusting: "ca.pem")
        #expect(servers.configuration.servers.map(\.description) == ["a:4222", "[::1]:7"])
        #expect(servers.configuration.tls)
        #expect(servers.configuration.certificateAuthorityFile == "ca.pem")
        #expect((servers.layout.name, servers.layout.replicas) == ("board2", 5))
        // Servers that had another number of streams would read and write other ones.
        #expect(servers.layout.streams == 32)
        guard case .user("ada", Self.secret) = servers.configuration.credentials else {
            throw TooLate(description: "They are others.")
        }
    }

    @Test func `secrets are in no text`() throws {
        let path = try file(" \(Self.secret)\n")
        let all: [NATSCredentials] = [
            .token(Self.secret), .user("ada", password: Self.secret), try .token(file: path),
            try .user("ada", passwordFile: path),
        ]
        for credentials in all {
            let servers = try NATSServers("nats://a", credentials: credentials)
            let texts = [
                "\(credentials)", String(reflecting: credentials), "\(servers)",
                String(reflecting: servers), "\(servers.configuration)", dumped(credentials),
                dumped(servers),
            ]
            for text in texts { #expect(!text.contains("s3cret")) }
        }
        let two = try NATSServers("nats://a,nats://b:1")
        #expect("\(two)" == "NATS at a:4222, b:1")
        let error = #expect(throws: ServerError.self) { try NATSCredentials.file(path) }
        #expect(error?.code == .clusterUnusable)
        #expect(error?.description.contains(path) == true)
        #expect(error?.description.contains("s3cret") == false)
        let address = #expect(throws: ServerError.self) {
            try NATSServers("nats://ada:s3cret@a")
        }
        #expect(address?.description.contains("s3cret") == false)
    }

    private func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test func `what is in files is read without the white space around it`() throws {
        let path = try file("\n \(Self.secret) \r\n")
        guard case .token(Self.secret) = try NATSCredentials.token(file: path).proof else {
            throw TooLate(description: "It is another one.")
        }
        for text in ["", " \n"] {
            let path = try file(text)
            #expect(throws: ServerError.self) { try NATSCredentials.token(file: path) }
        }
        #expect(throws: ServerError.self) {
            try NATSCredentials.token(file: directory.file("none"))
        }
    }

    @Test(arguments: ["", "http://a", "nats://a b", "nats://a,"])
    func `what is no address of NATS isn't taken for one`(text: String) {
        let error = #expect(throws: ServerError.self) { try NATSServers(text) }
        #expect(error?.code == .clusterUnusable)
    }

    @Test func `names and replicas have bounds`() throws {
        for name in ["", "a b", "a.b", "ä", String(repeating: "a", count: 33)] {
            #expect(throws: ServerError.self) { try NATSServers("nats://a", name: name) }
        }
        for replicas in [0, 6] {
            #expect(throws: ServerError.self) { try NATSServers("nats://a", replicas: replicas) }
        }
        _ = try NATSServers("nats://a", name: String(repeating: "a", count: 32), replicas: 1)
    }

    @Test func `a node says where others reach it, unless all is on this machine`() throws {
        let key = try EdgeKey(text: Self.secret)
        let (local, elsewhere) = (
            try NATSServers("nats://localhost", replicas: 1), try NATSServers("nats://a")
        )
        _ = try ClusterNode(nats: local, key: key)
        _ = try ClusterNode(nats: local, key: key, address: "127.0.0.1:7")
        let node = try ClusterNode(nats: elsewhere, key: key, address: "wss://core.example:7")
        #expect(node.entrance.isSecure && node.entrance.port == 7)
        #expect(node.address == nil && node.id.utf8.count == 12)
        let three = "nats://localhost:1,nats://127.0.0.1:2,nats://[::1]:3"
        for (addresses, replicas) in [(three, 3), (three, 2), ("nats://localhost,nats://a", 1)] {
            let nats = try NATSServers(addresses, replicas: replicas)
            let isAllHere = addresses == three
            #expect(((try? ClusterNode(nats: nats, key: key)) != nil) == isAllHere)
            #expect(throws: Never.self) {
                try ClusterNode(nats: nats, key: key, address: "10.0.0.1:7")
            }
        }
        // One that is on this machine may have others elsewhere, and is one however often it is said.
        let twice = try NATSServers("nats://localhost,nats://localhost:4222", replicas: 2)
        let thrice = try NATSServers("nats://localhost,nats://localhost,nats://localhost")
        for (nats, address) in [
            (elsewhere, nil), (try NATSServers("nats://localhost"), nil), (local, "0.0.0.0:1"),
            (local, "a"), (elsewhere, "127.0.0.1:7"), (elsewhere, "[::1]:7"), (twice, nil),
            (thrice, nil), (try NATSServers(three, replicas: 4), nil),
        ] as [(NATSServers, String?)] {
            let error = #expect(throws: ServerError.self) {
                try ClusterNode(nats: nats, key: key, address: address)
            }
            #expect(error?.code == .clusterUnusable)
        }
    }

    @Test func `a node whose server couldn't start may be another one's`() async throws {
        let held = try HeldPort()
        let node = ClusterNode(
            nats: try NATSServers("nats://localhost", replicas: 1),
            key: try EdgeKey(text: Self.secret),
            at: NodeAddress(port: held.number))
        for _ in 1...2 {
            let server = SyncServer(port: 0, journal: .cluster(node), rooms: { _ in nil })
            let error = await #expect(throws: ServerError.self) { try await server.start() }
            #expect(error?.code == .cannotListen)
        }
    }

    @Test func `where others come encrypted there is a certificate`() async throws {
        let node = try ClusterNode(
            nats: try NATSServers("nats://localhost", replicas: 1),
            key: try EdgeKey(text: Self.secret),
            address: "wss://localhost:7")
        let server = SyncServer(port: 0, journal: .cluster(node), rooms: { _ in nil })
        let error = await #expect(throws: ServerError.self) { try await server.start() }
        #expect(error?.code == .certificateUnusable)
    }

    // The key of docs.nats.io, "NKeys".
    private static let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
    private static let publicKey = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"

    @Test func `a file has a key alone, or a JWT with its key`() throws {
        guard case .key(let key) = try NATSCredentials.file(file("\n\(Self.seed) ")).proof else {
            throw TooLate(description: "It is no key.")
        }
        #expect(key.publicKey == Self.publicKey)
        let text = """
            -----BEGIN NATS USER JWT-----
            a.b.c
            ------END NATS USER JWT------
            -----BEGIN USER NKEY SEED-----
            \(Self.seed)
            ------END USER NKEY SEED------
            """
        guard case .signed("a.b.c", let other) = try NATSCredentials.file(file(text)).proof else {
            throw TooLate(description: "It isn't signed.")
        }
        #expect(other.publicKey == Self.publicKey)
    }

    @Test func `a secret's file has 64 KiB of UTF-8 at most`() throws {
        let most = String(repeating: "x", count: 64 << 10)
        guard case .token(most) = try NATSCredentials.token(file: try file(most)).proof else {
            throw TooLate(description: "It is another one.")
        }
        for (bytes, words) in [
            (Data((most + "x").utf8), "can't be read: it has more than 64 KiB."),
            (Data([0xFF]), "can't be read: it is empty, or isn't UTF-8."),
        ] {
            let path = directory.file("secret")
            try bytes.write(to: URL(filePath: path))
            let error = #expect(throws: ServerError.self) { try NATSCredentials.token(file: path) }
            #expect(error?.code == .clusterUnusable)
            #expect(error?.description.contains("'\(path)' \(words)") == true)
        }
    }

    @Test func `what isn't said is what is usual`() throws {
        let servers = try NATSServers("nats://a")
        #expect(servers.layout.name == "storecast" && servers.layout.replicas == 3)
        #expect(!servers.configuration.tls)
        #expect(servers.configuration.certificateAuthorityFile == nil)
        guard case .none = servers.configuration.credentials else {
            throw TooLate(description: "They are others.")
        }
    }

    @Test func `what is wrong is said with where to say otherwise`() throws {
        let key = try EdgeKey(text: Self.secret)
        let (local, elsewhere) = (
            try NATSServers("nats://localhost", replicas: 1), try NATSServers("nats://a")
        )
        for (body, words) in [
            ({ _ = try NATSServers("nats://a", replicas: 6) }, "NATSServers(replicas:)"),
            ({ _ = try NATSServers("nats://a", name: "a-b") }, "NATSServers(name:)"),
            (
                { _ = try ClusterNode(nats: elsewhere, key: key) },
                "Where do the other servers reach this one?"
            ),
            (
                { _ = try ClusterNode(nats: elsewhere, key: key, address: "127.0.0.1:7") },
                "is a loopback address"
            ),
            (
                { _ = try ClusterNode(nats: local, key: key, address: "a") },
                "can't reach this one at 'a'"
            ),
        ] as [(() throws -> Void, String)] {
            let error = #expect(throws: ServerError.self) { try body() }
            #expect(error?.description.contains(words) == true, "\(words)")
        }
    }
}
