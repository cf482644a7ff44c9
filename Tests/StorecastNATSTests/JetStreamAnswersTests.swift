import StorecastWebSocket
import TestSupport
import Testing

@testable import StorecastNATS

/// What is made of JetStream's answers, which a test gives in its place.
@Suite(
    .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
    .timeLimit(.minutes(30)), .fewAtATime)
struct JetStreamAnswersTests {
    /// JetStream's client, and who answers it.
    private struct Peers {
        let server: NATSProcess
        let client: NATSClient
        let jetStream: JetStream
        private let loop: EventLoop

        init() async throws {
            server = try await NATSProcess(jetStream: false)
            client = try await NATSClient(server.address)
            _ = try await client.connected()
            loop = try EventLoop(name: "jetstream")
            jetStream = await JetStream(
                on: loop, try NATSConfiguration(server.address), timeout: .seconds(20))
            try await jetStream.connected(within: .seconds(60))
        }

        func end() async {
            await jetStream.close()
            await loop.shutDown()
            await client.end()
        }
    }

    private static func error(_ code: Int, status: Int = 400) -> String {
        #"{"error":{"code":\#(status),"err_code":\#(code),"description":"d"}}"#
    }

    private static let unreadable = "JetStream answers in a way that can't be read."
    private static let refuses = "JetStream refuses: d."

    @Test func `what became of a message is only said if it is known`() async throws {
        let peers = try await Peers()
        let answers: [(text: String, written: JetStream.Written)] = [
            (#"{"stream":"s","seq":7}"#, .kept(7)),
            (#"{"seq":7,"error":{"err_code":1,"description":"d"}}"#, .unknown(Self.refuses)),
            (Self.error(10071), .notAtEnd),
            (Self.error(10164), .busy(Self.refuses)),
            (Self.error(10163), .busy(Self.refuses)),
            // A stream that changes its leader.
            (Self.error(10008, status: 503), .unknown(Self.refuses)),
            (Self.error(10077), .unknown(Self.refuses)),
            (#"{"error":{"code":500}}"#, .unknown("JetStream refuses: no reason given.")),
            ("{}", .unknown(Self.unreadable)),
            ("[]", .unknown(Self.unreadable)),
            ("", .unknown(Self.unreadable)),
        ]
        await peers.client.answer("log", with: answers.map(\.text))
        for (text, written) in answers {
            let found = await peers.jetStream.write(
                [1], to: "log", headers: [:], behind: nil, on: 0)
            #expect(found == written, "\(text)")
        }
        let unsent = await peers.jetStream.write([1], to: "log", headers: [:], behind: 2, on: 1)
        #expect(unsent == .busy("NATS was connected anew."))
        let unheard = await peers.jetStream.write(
            [1], to: "nobody", headers: [:], behind: nil, on: nil)
        #expect(unheard == .refused("NATS keeps nothing now: no stream answers."))
        await peers.jetStream.close()
        let closed = await peers.jetStream.write(
            [1], to: "log", headers: [:], behind: nil, on: nil)
        #expect(closed == .refused("The connection to NATS was closed."))
        await peers.end()
    }

    /// The number of the last message of `a` in the stream `s`.
    private func last(_ jetStream: JetStream) async -> Result<UInt64?, NATSError> {
        do throws(NATSError) {
            return .success(try await jetStream.last(of: "a", in: "s")?.sequence)
        } catch {
            return .failure(error)
        }
    }

    @Test func `that there is no message isn't that there is no answer`() async throws {
        let peers = try await Peers()
        let nobody = NATSError.unanswered(
            "JetStream isn't there: is it enabled on the NATS servers?")
        #expect(await last(peers.jetStream) == .failure(nobody))
        let unreadable = Result<UInt64?, NATSError>.failure(.violation(Self.unreadable))
        let answers: [(text: String, last: Result<UInt64?, NATSError>)] = [
            (#"{"message":{"seq":3,"subject":"a"}}"#, .success(3)),
            (#"{"message":{"seq":3,"subject":"a","data":"YQ==","hdrs":""}}"#, .success(3)),
            (Self.error(10037, status: 404), .success(nil)),
            (Self.error(10059, status: 404), .failure(.missing(Self.refuses))),
            (Self.error(10008, status: 503), .failure(.unanswered(Self.refuses))),
            (Self.error(10005), .failure(.unanswered(Self.refuses))),
            (Self.error(10077), .failure(.unavailable(Self.refuses))),
            ("{}", unreadable), ("7", unreadable),
            (#"{"message":{"subject":"a"}}"#, unreadable),
            (#"{"message":{"seq":3}}"#, unreadable),
            (#"{"message":{"seq":3,"subject":"a","data":"!"}}"#, unreadable),
            (#"{"message":{"seq":3,"subject":"a","hdrs":"!"}}"#, unreadable),
        ]
        await peers.client.answer("$JS.API.STREAM.MSG.GET.s", with: answers.map(\.text))
        for (text, expected) in answers {
            #expect(await last(peers.jetStream) == expected, "\(text)")
        }
        await peers.end()
    }

    private static func stream(_ members: String = "", replicas: Int = 1) -> String {
        """
        {"created":"2026","config":{"num_replicas":\(replicas),"storage":"file",
        "retention":"limits","allow_direct":true\(members)}}
        """
    }

    /// When the stream `s` was made, or why it can't be used.
    private func stream(
        _ jetStream: JetStream, replicas: Int, keepsNewestOnly: Bool
    ) async -> String {
        do throws(NATSError) {
            return try await jetStream.stream(
                "s", subjects: ["a"], replicas: replicas, keepsNewestOnly: keepsNewestOnly)
        } catch {
            return "\(error)"
        }
    }

    @Test func `a stream is used if it keeps at least what is asked for`() async throws {
        let peers = try await Peers()
        func unusable(_ problem: String) -> String {
            "The stream 's' of NATS \(problem): it can't be used."
        }
        let forgets = unusable("forgets messages by itself")
        let answers: [(text: String, replicas: Int, newest: Bool, found: String)] = [
            (Self.stream(), 1, false, "2026"),
            (Self.stream(replicas: 3), 1, false, "2026"),
            (Self.stream(), 3, false, unusable("is on 1 server, not on 3")),
            (Self.stream(replicas: 2), 3, false, unusable("is on 2 servers, not on 3")),
            (Self.stream(#","max_bytes":-1,"max_msgs":-1,"max_age":0"#), 1, false, "2026"),
            (Self.stream(#","max_bytes":9"#), 1, false, forgets),
            (Self.stream(#","max_msgs_per_subject":1"#), 1, false, forgets),
            (Self.stream(#","max_msgs_per_subject":1"#), 1, true, "2026"),
            (Self.stream(), 1, true, forgets),
            (#"{"config":{}}"#, 1, false, Self.unreadable),
            (#"{"created":"2026"}"#, 1, false, Self.unreadable),
            (Self.error(1), 1, false, Self.refuses),
        ]
        await peers.client.answer("$JS.API.STREAM.CREATE.s", with: answers.map(\.text))
        for (text, replicas, newest, expected) in answers {
            let found = await stream(
                peers.jetStream, replicas: replicas, keepsNewestOnly: newest)
            #expect(found == expected, "\(text)")
        }
        await peers.client.answer("$JS.API.STREAM.CREATE.s", with: [Self.error(10058)])
        await peers.client.answer("$JS.API.STREAM.INFO.s", with: [Self.stream()])
        #expect(await stream(peers.jetStream, replicas: 1, keepsNewestOnly: false) == "2026")
        await peers.end()
    }

    @Test func `subjects are asked for until all are there, or no more come`() async throws {
        let peers = try await Peers()
        func answer(_ total: Int, _ subjects: String...) -> String {
            let members = subjects.map { #""\#($0)":2"# }.joined(separator: ",")
            return #"{"total":\#(total),"state":{"subjects":{\#(members)}}}"#
        }
        for (answers, expected) in [
            ([answer(3, "a", "b"), answer(3, "c")], ["a", "b", "c"]),
            ([answer(9, "a"), answer(9)], ["a"]),
            ([#"{"state":{"messages":0}}"#], []),
            ([answer(1, "a")], ["a"]),
        ] as [([String], [String])] {
            await peers.client.cancelSubscriptions()
            await peers.client.answer("$JS.API.STREAM.INFO.s", with: answers)
            #expect(try await peers.jetStream.subjects("*", of: "s") == expected)
        }
        await peers.client.cancelSubscriptions()
        let counts = [answer(1, "a"), answer(1, "b"), "{}", Self.error(1)]
        await peers.client.answer("$JS.API.STREAM.INFO.s", with: counts)
        for expected in [2, 0, 0] {
            #expect(try await peers.jetStream.count(of: "a", in: "s") == expected)
        }
        await #expect(throws: NATSError.unavailable(Self.refuses)) {
            try await peers.jetStream.count(of: "a", in: "s")
        }
        await peers.client.answer("$JS.API.STREAM.PURGE.s", with: [Self.error(1), "{}"])
        await #expect(throws: NATSError.unavailable(Self.refuses)) {
            try await peers.jetStream.purge("a", of: "s", below: 3)
        }
        try await peers.jetStream.purge("a", of: "s", below: nil)
        await peers.end()
    }
}
