import Foundation
import Glibc
import StorecastWebSocket
import TestSupport
import Testing

extension SocketTests {
    /// Encrypted connections. The clients are libwebsockets', and OpenSSL's own command.
    @Suite(.timeLimit(.minutes(30))) struct TLSTests {
        let certificates: TestCertificates

        init() throws { certificates = try TestCertificates() }

        private func server(
            _ behaviour: Behaviour = .echo,
            _ change: (inout WebSocketServerConfiguration) -> Void = { _ in }
        ) async throws -> TestServer {
            let certificate = try self.certificate()
            return try await TestServer(
                {
                    $0.certificate = certificate
                    change(&$0)
                }, behaviour)
        }

        private func certificate() throws -> ServerCertificate {
            try ServerCertificate(
                certificateFile: certificates.certificate, keyFile: certificates.key)
        }

        private func client(
            _ port: Int, host: String = "localhost", trusting root: String? = nil
        ) async throws -> TestClient {
            var configuration = WebSocketClientConfiguration(host: host, port: port, tls: true)
            configuration.certificateAuthorityFile = root ?? certificates.root
            return try await TestClient(configuration)
        }

        private func stop(_ client: TestClient, _ server: TestServer) async {
            await client.loop.shutDown()
            await server.stop()
        }

        private func opened(_ client: TestClient) async throws {
            #expect(try await client.events.next() == .connected(nil))
        }

        @Test(arguments: ["localhost", "127.0.0.1"])
        func `messages go both ways, small, many and large`(host: String) async throws {
            let server = try await server(.echo) { $0.maxMessageBytes = 8 << 20 }
            let client = try await client(server.port, host: host)
            try await opened(client)
            try await client.with { client in
                for number in 0..<500 { #expect(client.send(Array("\(number)".utf8))) }
            }
            for number in 0..<500 {
                #expect(try await client.events.next() == .received("\(number)"))
            }
            let large = String(repeating: "0123456789", count: 500_000)
            try await client.send(large)
            #expect(try await client.events.next() == .received(large))
            try await client.with { $0.close(code: 4000, reason: "done") }
            #expect(try await client.events.next() == .closed(4000, "done", error: nil))
            await stop(client, server)
        }

        @Test func `who reads slowly costs one write, and then hears everything`() async throws {
            let server = try await server(Behaviour())
            let client = try await client(server.port)
            try await opened(client)
            _ = try await server.events.next()
            try await client.with { $0.pauseReading() }
            let texts = [8 << 20, 100].map { [UInt8](repeating: 0x61, count: $0) }
            try await server.with { recorder in
                let connection = recorder.connections[0]
                #expect(connection.write(WebSocketFrameHeader.frame(text: texts[0])))
                #expect(!connection.isWritable)
                #expect((1 << 20)..<(9 << 20) ~= connection.pendingBytes)
                #expect(!connection.write(WebSocketFrameHeader.frame(text: texts[1])))
            }
            try await client.with { $0.resumeReading() }
            #expect(
                try await client.events.next()
                    == .received(String(decoding: texts[0], as: UTF8.self)))
            #expect(try await server.events.next() == .writable)
            try await server.with { recorder in
                #expect(recorder.connections[0].pendingBytes == 0)
                recorder.connections[0].write(WebSocketFrameHeader.frame(text: texts[1]))
                recorder.connections[0].close(code: 4001)
            }
            #expect(
                try await client.events.next()
                    == .received(String(decoding: texts[1], as: UTF8.self)))
            #expect(try await client.events.next() == .closed(4001, "", error: nil))
            await stop(client, server)
        }

        @Test func `reading can be paused, and what was read before isn't lost`() async throws {
            let server = try await server(
                Behaviour(received: { connection, text in
                    if text.count == 1 { connection.pauseReading() }
                }))
            let client = try await client(server.port)
            try await opened(client)
            _ = try await server.events.next()
            try await client.with { client in
                for text in ["1", "22", "333"] { #expect(client.send(Array(text.utf8))) }
            }
            #expect(try await server.events.next() == .received("1"))
            #expect(try await server.with { $0.connections[0].isWritable })
            #expect(server.events.pending.isEmpty)
            try await server.with { $0.connections[0].resumeReading() }
            #expect(try await server.events.next() == .received("22"))
            #expect(try await server.events.next() == .received("333"))
            await stop(client, server)
        }

        @Test func `it makes no difference in what pieces bytes come`() async throws {
            let server = try await server()
            let relay = try TestRelay(to: server.port)
            let client = try await client(relay.port)
            try await opened(client)
            for text in ["a", String(repeating: "b", count: 3000)] {
                try await client.send(text)
                #expect(try await client.events.next() == .received(text))
            }
            await stop(client, server)
        }

        @Test func `what came with the end isn't lost, though reading was paused by then`()
            async throws
        {
            let server = try await server(
                Behaviour(received: { connection, text in
                    if text.count == 1 { connection.pauseReading() }
                }))
            let relay = try TestRelay(to: server.port)
            // It ends the encryption when its input ends, which libwebsockets doesn't.
            let client = Process()
            client.executableURL = URL(filePath: "/usr/bin/openssl")
            client.arguments = [
                "s_client", "-connect", "127.0.0.1:\(relay.port)", "-quiet", "-no_ign_eof",
                "-CAfile", certificates.root,
            ]
            let input = Pipe()
            client.standardInput = input
            client.standardOutput = FileHandle.nullDevice
            client.standardError = FileHandle.nullDevice
            try client.run()
            try input.fileHandleForWriting.write(contentsOf: Array(RawPeer.request().utf8))
            _ = try await server.events.next()
            relay.hold()
            for text in ["1", "22", "333"] {
                let head: [UInt8] = [0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0]
                try input.fileHandleForWriting.write(contentsOf: head + Array(text.utf8))
            }
            try input.fileHandleForWriting.close()
            #expect(try await server.events.next() == .received("1"))
            try await server.with { $0.connections[0].resumeReading() }
            #expect(try await server.events.next() == .received("22"))
            #expect(try await server.events.next() == .received("333"))
            guard case .closed = try await server.events.next() else {
                Issue.record("Not closed.")
                return
            }
            await server.stop()
        }

        // MARK: Trust

        @Test(
            arguments: [
                ("DNS:localhost,IP:127.0.0.1", 2, true), ("DNS:other.example", 2, false),
                ("IP:127.0.0.2", 2, false), ("DNS:localhost,IP:127.0.0.1", -1, false),
                ("DNS:*.localhost", 2, false),
            ])
        func `clients take a certificate that is made for the host and hasn't expired`(
            names: String, days: Int, isTaken: Bool
        ) async throws {
            try certificates.issue(names: names, days: days)
            let server = try await server()
            // Whole days, of which a little may be over.
            let left = try certificate().daysLeft
            #expect(left == days || left == days - 1, "\(left)")
            for host in ["localhost", "127.0.0.1"] {
                let client = try await client(server.port, host: host)
                try await expect(client, isTaken: isTaken, at: "\(host):\(server.port)")
            }
            await server.stop()
        }

        @Test func `clients don't take a certificate whose root they don't trust`() async throws {
            let server = try await server()
            let other = try TestCertificates()
            let client = try await client(server.port, trusting: other.root)
            try await expect(client, isTaken: false, at: "localhost:\(server.port)")
            // Nor by the system's roots.
            let stranger = try await TestClient(
                WebSocketClientConfiguration(host: "localhost", port: server.port, tls: true))
            try await expect(stranger, isTaken: false, at: "localhost:\(server.port)")
            // What the alert says, or that the client left before it could be read.
            #expect(try await server.problems.next().hasPrefix("127.0.0.1: "))
            await server.stop()
        }

        @Test func `certificates to trust that can't be read are a sentence`() async throws {
            let client = try await client(1, trusting: "/no/such/file")
            guard case .closed(1006, _, _?) = try await client.events.next() else {
                Issue.record("Not closed with a sentence.")
                return
            }
            await client.loop.shutDown()
        }

        private func expect(
            _ client: TestClient, isTaken: Bool, at target: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let sentence =
                "The TLS handshake with \(target) failed; its certificate must be trusted and "
                + "made for this name."
            #expect(
                try await client.events.next()
                    == (isTaken ? .connected(nil) : .closed(1006, "", error: sentence)),
                sourceLocation: sourceLocation)
            await client.loop.shutDown()
        }

        // MARK: Versions and plain clients

        @Test(arguments: [("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)])
        func `TLS 1.2 and 1.3 are spoken, and nothing older`(
            version: String, isSpoken: Bool
        ) async throws {
            let server = try await server()
            let client = try OpenSSLClient(
                port: server.port, certificates,
                [version, "-cipher", "ALL@SECLEVEL=0"])
            if isSpoken { try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            let answer = String(decoding: try client.readToEnd(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 426 ") == isSpoken)
            #expect((client.exitStatus() == 0) == isSpoken)
            if !isSpoken {
                #expect(try await server.problems.next() == "127.0.0.1: unsupported protocol")
            }
            await server.stop()
        }

        @Test func `who doesn't encrypt is told in words, and others go on`() async throws {
            let server = try await server()
            let client = try await client(server.port)
            try await opened(client)
            let plain = try RawPeer(port: server.port)
            try plain.send(text: RawPeer.request())
            let answer = String(decoding: try plain.readToEnd(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("wss://"))
            #expect(try await server.problems.next() == "127.0.0.1: the client didn't encrypt it")
            try await client.send("still")
            #expect(try await client.events.next() == .received("still"))
            await stop(client, server)
        }

        @Test func `garbage ends its own connection only`() async throws {
            let server = try await server()
            let client = try await client(server.port)
            try await opened(client)
            for garbage: [UInt8] in [
                [22, 3, 1, 0xFF, 0xFF, 1], [22] + [UInt8](repeating: 0, count: 70_000),
                [22, 3, 1, 0, 1, 0],
            ] {
                let peer = try RawPeer(port: server.port)
                try peer.send(garbage)
                peer.stopSending()
                _ = try? peer.readToEnd()
            }
            try await client.send("still")
            #expect(try await client.events.next() == .received("still"))
            await stop(client, server)
        }

        @Test func `a handshake that isn't finished in time is cut, and counts until then`()
            async throws
        {
            let server = try await server {
                $0.handshakeTimeout = .seconds(2)
                $0.maxConnections = 1
            }
            let slow = try RawPeer(port: server.port)
            try slow.send([22, 3, 1, 0, 100, 1])
            let second = try RawPeer(port: server.port)
            #expect(try second.readToEnd() == [])
            #expect(try slow.readToEnd() == [])
            // Now somebody else is let in.
            let client = try await client(server.port)
            try await opened(client)
            await stop(client, server)
        }

        // MARK: Plain requests

        @Test func `a large answer waits for a slow reader`() async throws {
            let server = try await server(
                Behaviour(respond: { _ in HTTPResponse(status: 200, body: PlainRequestTests.body) })
            )
            let slow = try OpenSSLClient(port: server.port, certificates)
            try slow.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            var answer = try slow.read(upTo: 10)
            let quick = try OpenSSLClient(port: server.port, certificates)
            try quick.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(String(decoding: try quick.readToEnd(), as: UTF8.self).hasSuffix("\r\n\r\n"))
            answer += try slow.readToEnd()
            #expect(
                answer.suffix(PlainRequestTests.body.count).elementsEqual(PlainRequestTests.body))
            await server.stop()
        }

        // MARK: Reloading

        @Test func `a certificate is read again, and nobody is dropped`() async throws {
            let certificate = try certificate()
            let server = try await TestServer({ $0.certificate = certificate }, .echo)
            let early = try await client(server.port)
            try await opened(early)
            let other = try TestCertificates()
            try certificates.replace(by: other)
            try certificate.reload()
            let late = try await client(server.port, trusting: other.root)
            try await opened(late)
            let refused = try await client(server.port)
            try await expect(refused, isTaken: false, at: "localhost:\(server.port)")
            for client in [early, late] {
                try await client.send("still")
                #expect(try await client.events.next() == .received("still"))
            }
            await late.loop.shutDown()
            await stop(early, server)
        }

        @Test func `files that can't be used are a sentence, and change nothing`() async throws {
            let certificate = try certificate()
            let server = try await TestServer({ $0.certificate = certificate }, .echo)
            let other = try TestCertificates()
            let files = [
                (other.certificate, certificates.key, "key values mismatch"),
                ("/no/such.pem", certificates.key, "'/no/such.pem' can't be used: No such file"),
                (certificates.certificate, "/no/such.key", "'/no/such.key' can't be used: No such"),
                (certificates.key, certificates.key, "there is no certificate in it, in PEM."),
                (
                    certificates.certificate, certificates.certificate,
                    "there is no private key in it, in PEM."
                ),
                (certificates.certificate, try certificates.encryptedKey(), "it is encrypted with"),
            ]
            for (file, key, words) in files {
                let error = #expect(throws: WebSocketError.self) {
                    try ServerCertificate(certificateFile: file, keyFile: key)
                }
                #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
            }
            // Half of the change of a certificate.
            try certificates.issue()
            unlink(certificates.key)
            #expect(throws: WebSocketError.self) { try certificate.reload() }
            let client = try await client(server.port)
            try await opened(client)
            await stop(client, server)
        }
    }
}
