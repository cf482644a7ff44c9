import Dispatch
import Glibc
import TestSupport
import Testing

@testable import StorecastWebSocket

/// What can be learnt of a server from outside.
@Suite(.timeLimit(.minutes(30)))
struct ServerProbeTests {
    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (1_709_210_096, "Thu, 29 Feb 2024 12:34:56 GMT"),
        ])
    func `times in headers are written as RFC 9110 has them`(time: Int, text: String) {
        #expect(HTTPResponse.date(time) == text)
        #expect(HTTPResponse.time(of: text) == time)
    }

    @Test(arguments: ["", "now", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Foo 1994 08:49:37 GMT"])
    func `anything else is no time`(text: String) {
        #expect(HTTPResponse.time(of: text) == nil)
    }
}

extension SocketTests {
    @Suite(.timeLimit(.minutes(30))) struct ServerProbeAnswerTests {
        private static func probe(
            _ port: Int, host: String = "127.0.0.1", trusting root: String? = nil
        ) -> ServerProbe {
            var server = WebSocketClientConfiguration(host: host, port: port, tls: root != nil)
            server.certificateAuthorityFile = root
            return ServerProbe(server)
        }

        /// The probe waits on its thread.
        private static func waiting<Value: Sendable>(
            _ work: @escaping @Sendable () throws -> Value
        ) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(with: Swift.Result { try work() })
                }
            }
        }

        @Test func `a plain answer comes whole, with the time at which it was made`() async throws {
            let server = try await TestServer(
                Behaviour(respond: { request in
                    HTTPResponse(status: 503, "No \(request.path).", headers: [("X-A", "b: c")])
                }))
            let port = server.port
            let before = time(nil)
            let answer = try await Self.waiting { try Self.probe(port).ask("/readyz") }
            #expect(answer.status == 503)
            #expect(answer.body == "No /readyz.\n")
            #expect(answer.headers["x-a"] == "b: c")
            #expect(answer.certificate == nil)
            let date = try #require(answer.headers["date"].flatMap(HTTPResponse.time))
            #expect((before...time(nil)).contains(date))
            await server.stop()
        }

        @Test func `a WebSocket is granted or refused, with the request's headers`() async throws {
            let server = try await TestServer(
                Behaviour(accept: { request in
                    request.headers["origin"] == nil
                        ? .accept(subprotocol: request.subprotocols.first)
                        : .refuse(status: 403, reason: "No.")
                }))
            let port = server.port
            let granted = try await Self.waiting { try Self.probe(port).upgrade(subprotocol: "a") }
            #expect(granted.status == 101)
            // The answer to the example of RFC 6455, section 1.3.
            #expect(granted.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            let refused = try await Self.waiting {
                try Self.probe(port).upgrade(
                    subprotocol: "a", headers: [("Origin", "https://a.example")])
            }
            #expect(refused.status == 403)
            await server.stop()
        }

        @Test(
            arguments: [
                ("DNS:localhost,IP:127.0.0.1", 20, "127.0.0.1", 19...20, true),
                ("DNS:localhost", 20, "127.0.0.1", 19...20, false),
                ("DNS:localhost", 20, "localhost", 19...20, true),
                ("DNS:other.example", 20, "localhost", 19...20, false),
                ("DNS:localhost", -1, "localhost", -2 ... -1, false),
            ])
        func `a certificate is looked at, good or not`(
            names: String, days: Int, host: String, left: ClosedRange<Int>, isGood: Bool
        ) async throws {
            let certificates = try TestCertificates(names: names, days: days)
            let certificate = try ServerCertificate(
                certificateFile: certificates.certificate, keyFile: certificates.key)
            let server = try await TestServer(
                { $0.certificate = certificate },
                Behaviour(respond: { _ in HTTPResponse(status: 200, "ok") }))
            let (port, root) = (server.port, certificates.root)
            let answer = try await Self.waiting {
                try Self.probe(port, host: host, trusting: root).ask("/healthz")
            }
            #expect(answer.status == 200)
            let facts = try #require(answer.certificate)
            #expect((facts.problem == nil) == isGood, "\(facts)")
            #expect(left.contains(facts.daysLeft))
            #expect(facts.names.hasPrefix(String(names.prefix { $0 != "," })))
            #expect(facts.version == "TLSv1.3")
            await server.stop()
        }

        @Test func `who can't be reached, or not in this way, is said`() async throws {
            let certificates = try TestCertificates()
            let certificate = try ServerCertificate(
                certificateFile: certificates.certificate, keyFile: certificates.key)
            let (plain, encrypted) = (
                try await TestServer(), try await TestServer { $0.certificate = certificate }
            )
            let (one, other, root) = (plain.port, encrypted.port, certificates.root)
            let hint = try await Self.waiting { try Self.probe(other).ask("/") }
            #expect(hint.status == 400)
            #expect(hint.body.contains("wss://"))
            let blunt = await #expect(throws: WebSocketError.self) {
                try await Self.waiting { try Self.probe(one, trusting: root).ask("/") }
            }
            #expect(blunt?.description.contains(" doesn't answer with TLS: ") == true)
            await plain.stop()
            await encrypted.stop()
            let nobody = await #expect(throws: WebSocketError.self) {
                try await Self.waiting { try Self.probe(1).ask("/") }
            }
            #expect(nobody?.description == "Can't connect to 127.0.0.1:1: Connection refused.")
        }
    }
}
