import Foundation
import TestSupport
import Testing

@testable import StorecastNATS

/// With `nats-server` at the other end.
@Suite(
    .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
    .timeLimit(.minutes(30)), .fewAtATime)
struct NATSConnectionTests {
    @Test func `who listens to a subject hears what is published to it, with its headers`()
        async throws
    {
        let server = try await NATSProcess()
        let client = try await NATSClient(server.address)
        _ = try await client.connected()
        let all = await client.subscribe("a.*")
        let one = await client.subscribe("a.b")
        try await client.publish("first", to: "a.b", headers: ["Kind": "x y"])
        try await client.publish("", to: "a.c")
        try await client.publish("nobody", to: "b")
        try await client.publish("last", to: "a.b")
        let heard = await all.limited.prefix(3)
        #expect(heard.map(\.subject) == ["a.b", "a.c", "a.b"])
        #expect(heard.map { String(decoding: $0.payload, as: UTF8.self) } == ["first", "", "last"])
        #expect(heard.map { $0.headers["Kind"] } == ["x y", nil, nil])
        #expect(await one.limited.prefix(2).count == 2)
        await client.end()
    }

    @Test func `a request is answered by who listens, or nobody does`() async throws {
        let server = try await NATSProcess()
        let client = try await NATSClient(server.address)
        _ = try await client.connected()
        await client.echo("echo")
        let answer = try await client.request("echo", "hello", headers: ["A": "b"])
        #expect(String(decoding: answer.payload, as: UTF8.self) == "hello")
        #expect(answer.headers["A"] == "b")
        await #expect(throws: NATSError.noResponders) { try await client.request("nobody") }
        await client.echo("many", times: 3)
        #expect(
            await client.requestMany("many", "x")
                == [.success("x"), .success("x"), .success("x"), .success("")])
        #expect(await client.requestMany("nobody", "x") == [.failure(.noResponders)])
        await client.end()
    }

    @Test func `ten thousand requests under way get their own answers`() async throws {
        let server = try await NATSProcess()
        let client = try await NATSClient(server.address)
        _ = try await client.connected()
        await client.echo("echo")
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<10_000 {
                group.addTask {
                    let answer = try await client.request("echo", "\(number)")
                    return String(decoding: answer.payload, as: UTF8.self) == "\(number)"
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        await client.end()
    }

    @Test func `who doesn't answer in time leaves the outcome unknown`() async throws {
        let server = try await NATSProcess()
        let client = try await NATSClient(server.address)
        _ = try await client.connected()
        _ = await client.subscribe("mute")
        await #expect(throws: NATSError.unanswered("NATS doesn't answer in time.")) {
            try await client.request("mute", timeout: .milliseconds(150))
        }
        await client.end()
    }

    @Test func `each of many answers may take as long as a single one`() async throws {
        let server = try await NATSProcess()
        let client = try await NATSClient(server.address)
        _ = try await client.connected()
        let timeout = Duration.milliseconds(150)
        await client.echo("slow", for: .milliseconds(400))
        // On a busy machine one of them may really take too long: then it is right to give up.
        let silence = await client.silenceBeforeGivingUp(on: "slow", timeout: timeout)
        #expect(silence ?? timeout >= timeout)
        await client.end()
    }

    @Test func `a message as large as the server takes is sent, and a larger one isn't`()
        async throws
    {
        let server = try await NATSProcess("max_payload: 100000")
        let client = try await NATSClient(server.address)
        _ = try await client.connected()
        #expect(await client.mostBytes == 100_000)
        await client.echo("echo")
        let text = String(repeating: "x", count: 100_000)
        #expect(try await client.request("echo", text).payload.count == 100_000)
        await #expect(
            throws: NATSError.unavailable(
                "A message of 100001 bytes is more than NATS takes, 100000.")
        ) { try await client.request("echo", text + "x") }
        await client.end()
    }

    @Test func `a subject that is longer than NATS takes costs nobody the connection`()
        async throws
    {
        let server = try await NATSProcess()
        let client = try await NATSClient(server.address)
        _ = try await client.connected()
        await client.echo("*.echo")
        let longest = String(repeating: "a", count: 3900) + ".echo"
        #expect(try await client.request(longest, "b").payload == Array("b".utf8))
        await #expect(
            throws: NATSError.unavailable("A subject of 4505 bytes is more than NATS takes.")
        ) { try await client.request(String(repeating: "a", count: 4500) + ".echo", "b") }
        #expect(try await client.request("c.echo", "d").payload == Array("d".utf8))
        #expect(await client.reasons == [])
        #expect(await client.complaints == [])
        await client.end()
    }

    @Test func `it comes back to a server that was killed, with its subscriptions`() async throws {
        let port = try HeldPort(isShared: true)
        let server = try await NATSProcess(port: port.number)
        let client = try await NATSClient(server.address)
        _ = try await client.connected()
        _ = await client.subscribe("mute")
        let unanswered = Task { try await client.request("mute") }
        await client.echo("echo")
        _ = try await client.request("echo")
        server.kill()
        let error = await #expect(throws: NATSError.self) { try await unanswered.value }
        guard case .unanswered = error else {
            Issue.record("It is \(String(describing: error)).")
            return
        }
        let late = await #expect(throws: NATSError.self) { try await client.request("echo") }
        guard case .unavailable(let reason) = late else {
            Issue.record("It is \(String(describing: late)).")
            return
        }
        #expect(reason.hasPrefix("NATS isn't connected"))
        try await server.start()
        _ = try await client.connected()
        #expect(try await client.request("echo", "again").payload.count == 5)
        await client.end()
    }

    @Test func `it knows the other servers of a cluster, and goes to them`() async throws {
        let ports = try (0..<4).map { _ in try HeldPort(isShared: true) }
        func settings(_ place: Int) -> String {
            """
            server_name: "n\(place)"
            cluster {
                name: "c", listen: "127.0.0.1:\(ports[2 + place].number)"
                routes: ["nats://127.0.0.1:\(ports[2].number)", "nats://127.0.0.1:\(ports[3].number)"]
            }
            lame_duck_duration: "30s", lame_duck_grace_period: "1s"
            """
        }
        let first = try await NATSProcess(settings(0), port: ports[0].number)
        let second = try await NATSProcess(settings(1), port: ports[1].number)
        let client = try await NATSClient(first.address)
        #expect(try await client.connected() == "n0")
        // What the servers tell of one another comes when they have met.
        await client.echo("echo")
        let other = try await NATSClient(second.address)
        _ = try await other.connected()
        #expect(
            await eventually { (try? await other.request("echo", "x"))?.payload.count == 1 })
        // It shuts down, and says so first: nobody waits for a broken connection.
        first.send(SIGUSR2)
        var servers: [String] = []
        while servers.last != "n1", servers.count < 20 {
            servers.append(try await client.connected())
        }
        #expect(servers.last == "n1")
        await client.end()
        await other.end()
    }

    @Test func `a server that was left is the last to be tried again`() async throws {
        let ports = try (0..<2).map { _ in try HeldPort(isShared: true) }
        let servers = [
            try await NATSProcess(#"server_name: "n0""#, port: ports[0].number),
            try await NATSProcess(#"server_name: "n1""#, port: ports[1].number),
        ]
        let client = try await NATSClient(servers[0].address, servers[1].address)
        var name = try await client.connected()
        for _ in 0..<5 {
            let server = servers[name == "n0" ? 0 : 1]
            server.kill()
            name = try await client.connected()
            try await server.start()
        }
        #expect(await client.reasons.allSatisfy { !$0.contains("refused") })
        await client.end()
    }

    @Test func `a server that is silent is left`() async throws {
        let server = try await NATSProcess()
        let client = try await NATSClient(server.address) { $0.pingInterval = .milliseconds(50) }
        _ = try await client.connected()
        server.send(SIGSTOP)
        #expect(try await client.refused() == "NATS doesn't answer any more.")
        server.send(SIGCONT)
        _ = try await client.connected()
        await client.end()
    }

    @Test func `no more waits for a server that takes nothing than may`() async throws {
        let server = try await NATSProcess()
        let client = try await NATSClient(server.address) { $0.mostBufferedBytes = 1 << 20 }
        _ = try await client.connected()
        server.send(SIGSTOP)
        let text = String(repeating: "x", count: 1 << 20)
        // The machine's own buffers hold some of them.
        await #expect(throws: NATSError.unavailable("NATS takes what is sent too slowly.")) {
            for _ in 1...64 { try await client.publish(text, to: "a") }
        }
        server.send(SIGCONT)
        await client.end()
    }

    @Test func `who doesn't speak NATS is said`() async throws {
        let port = try HeldPort()
        let client = try await NATSClient("nats://127.0.0.1:\(port.number)")
        #expect(
            try await client.refused() == "Connection refused by 127.0.0.1:\(port.number).")
        #expect(await client.mostBytes == nil)
        await client.end()
        port.listen()
        let second = try await NATSClient("nats://127.0.0.1:\(port.number)") {
            $0.connectTimeout = .milliseconds(100)
        }
        #expect(
            try await second.refused()
                == "127.0.0.1:\(port.number) doesn't answer as NATS does.")
        await second.end()
    }

    // The key of docs.nats.io, "NKeys".
    private static let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"

    private static let users: [(settings: String, credentials: NATSConfiguration.Credentials)] = [
        (#"authorization { token: "t0ken" }"#, .token("t0ken")),
        (#"authorization { user: "ada", password: "s3cret" }"#, .user("ada", password: "s3cret")),
        (
            """
            authorization { users: [
                { nkey: UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4 }
            ] }
            """, (try? NKey(seed: seed)).map { .key($0) } ?? .none
        ),
    ]

    @Test(arguments: users.indices)
    func `it says who it is, and a server that doesn't know it says so`(_ place: Int) async throws {
        let (settings, credentials) = Self.users[place]
        let server = try await NATSProcess(settings)
        let client = try await NATSClient(server.address) { $0.credentials = credentials }
        _ = try await client.connected()
        await client.end()
        for wrong in [.none, .token("other"), .user("eve", password: "s3cret")]
            as [NATSConfiguration.Credentials]
        {
            let stranger = try await NATSClient(server.address) { $0.credentials = wrong }
            #expect(try await stranger.refused() == "NATS refuses: Authorization Violation.")
            await stranger.end()
        }
    }

    @Test func `what it may not do it hears of at once, and all else goes on`() async throws {
        let server = try await NATSProcess(
            """
            authorization { users: [ { user: "ada", password: "p", permissions: {
                publish: ["allowed", "_INBOX.>"], subscribe: [">"] } } ] }
            """)
        let client = try await NATSClient(server.address) {
            $0.credentials = .user("ada", password: "p")
        }
        _ = try await client.connected()
        let mute = await client.subscribe("allowed")
        let other = Task { try await client.request("allowed") }
        for await _ in mute.limited { break }
        // Not when its time is over, a minute later.
        let error = await #expect(throws: NATSError.self) { try await client.request("forbidden") }
        guard case .forbidden(let reason) = error else {
            Issue.record("It is \(String(describing: error)).")
            return
        }
        #expect(
            reason.lowercased()
                == #"nats doesn't permit it: permissions violation for publish to "forbidden"."#)
        #expect(await client.complaints.count == 1)
        await client.cancelSubscriptions()
        await client.echo("allowed")
        #expect(try await client.request("allowed", "a").payload == Array("a".utf8))
        await client.end()
        await #expect(throws: NATSError.unanswered("The connection to NATS was closed.")) {
            try await other.value
        }
    }

    @Test func `what it may not listen to is known, and all else is heard`() async throws {
        let server = try await NATSProcess(
            """
            authorization { users: [ { user: "ada", password: "p", permissions: {
                subscribe: ["allowed", "_INBOX.>"] } } ] }
            """)
        let client = try await NATSClient(server.address) {
            $0.credentials = .user("ada", password: "p")
        }
        _ = try await client.connected()
        _ = await client.subscribe("forbidden")
        await client.echo("allowed")
        // The server says what it doesn't permit before it answers this.
        #expect(try await client.request("allowed", "a").payload == Array("a".utf8))
        #expect(
            await client.refusal(ofListeningTo: "forbidden")?.description.lowercased()
                == #"nats doesn't permit it: permissions violation for subscription to "forbidden"."#
        )
        #expect(await client.refusal(ofListeningTo: "allowed") == nil)
        await client.end()
    }

    @Test func `what a server said holds on its connection, and not on the next`() async throws {
        func settings(_ subjects: String, _ bytes: Int) -> String {
            """
            max_payload: \(bytes)
            authorization { users: [ { user: "ada", password: "p", permissions: {
                subscribe: [\(subjects)] } } ] }
            """
        }
        let port = try HeldPort(isShared: true)
        let first = try await NATSProcess(settings(#""allowed""#, 100_000), port: port.number)
        let client = try await NATSClient(first.address) {
            $0.credentials = .user("ada", password: "p")
        }
        _ = try await client.connected()
        _ = await client.subscribe("other")
        await client.echo("allowed")
        #expect(await eventually { await client.refusal(ofListeningTo: "other") != nil })
        await #expect(throws: NATSError.self) { try await client.request("allowed") }
        #expect(await client.mostBytes == 100_000)
        first.kill()
        let second = try await NATSProcess(settings(#"">""#, 200_000), port: port.number)
        _ = try await client.connected()
        #expect(try await client.request("allowed", "a").payload == Array("a".utf8))
        #expect(await client.refusal(ofListeningTo: "other") == nil)
        #expect(await client.mostBytes == 200_000)
        await client.end()
        withExtendedLifetime(second) {}
    }

    @Test func `who may hear no answers is told so at once`() async throws {
        let server = try await NATSProcess(
            """
            authorization { users: [ { user: "ada", password: "p", permissions: {
                subscribe: ["allowed"] } } ] }
            """)
        let client = try await NATSClient(server.address) {
            $0.credentials = .user("ada", password: "p")
        }
        _ = try await client.connected()
        _ = await client.subscribe("allowed")
        // Not when its time is over, a minute later; and the second isn't even asked.
        for _ in 0..<2 {
            let error = await #expect(throws: NATSError.self) {
                try await client.request("allowed")
            }
            guard case .forbidden(let reason) = error else {
                Issue.record("It is \(String(describing: error)).")
                return
            }
            #expect(reason.contains("_INBOX."))
        }
        await client.end()
    }

    @Test func `a connection is encrypted, with a server whose certificate is trusted`()
        async throws
    {
        let certificates = try TestCertificates()
        let settings = """
            tls { cert_file: "\(certificates.certificate)", key_file: "\(certificates.key)" }
            """
        let server = try await NATSProcess(settings)
        let client = try await NATSClient(server.address) {
            $0.certificateAuthorityFile = certificates.root
        }
        _ = try await client.connected()
        await client.echo("echo")
        let text = String(repeating: "x", count: 1_000_000)
        #expect(try await client.request("echo", text).payload.count == 1_000_000)
        await client.end()

        let others = try TestCertificates()
        for file in [others.root, nil] {
            let stranger = try await NATSClient(server.address) {
                $0.certificateAuthorityFile = file
            }
            #expect(
                try await stranger.refused().contains("certificate verify failed"))
            await stranger.end()
        }
        let named = try TestCertificates(names: "DNS:elsewhere")
        let elsewhere = try await NATSProcess(
            settings.replacing(certificates.certificate, with: named.certificate)
                .replacing(certificates.key, with: named.key))
        let misled = try await NATSClient(elsewhere.address) {
            $0.certificateAuthorityFile = named.root
        }
        #expect(try await misled.refused().contains("certificate verify failed"))
        await misled.end()
    }

    @Test func `who wants encryption doesn't speak without it`() async throws {
        let server = try await NATSProcess()
        let client = try await NATSClient(server.address.replacing("nats:", with: "tls:"))
        #expect(
            try await client.refused()
                == "127.0.0.1:\(server.port) doesn't encrypt, though it must.")
        await client.end()
    }

    @Test func `an older server is refused`() throws {
        func problem(_ version: String) throws -> String? {
            try Array(#"{"server_name":"n","version":"\#(version)","headers":true}"#.utf8)
                .withUnsafeBytes { try NATSServerInformation($0).problem }
        }
        #expect(
            try problem("2.10.29")
                == "n is a NATS server of version 2.10.29; at least 2.11 is needed.")
        #expect(try problem("1.99") != nil)
        #expect(try problem("") != nil)
        #expect(try problem("2.11.0-RC.1") == nil)
        #expect(try problem("3.0.0") == nil)
    }

    @Test func `one that is closed is freed, and answers what is under way`() async throws {
        let server = try await NATSProcess()
        let client = try await NATSClient(server.address)
        _ = try await client.connected()
        _ = await client.subscribe("mute")
        let answer = Task { try await client.request("mute") }
        _ = try? await client.request("nobody")
        #expect(await client.close())
        await #expect(throws: NATSError.unanswered("The connection to NATS was closed.")) {
            try await answer.value
        }
        await client.end()
    }
}

extension AsyncStream where Element: Sendable {
    /// As `prefix` of a sequence that isn't asynchronous.
    fileprivate func prefix(_ count: Int) async -> [Element] {
        var all: [Element] = []
        for await element in self {
            all.append(element)
            if all.count == count { break }
        }
        return all
    }
}
