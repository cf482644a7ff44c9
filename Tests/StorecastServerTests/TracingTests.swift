import Foundation
import InMemoryTracing
import StorecastClient
import TestSupport
import Testing
import Tracing

@testable import StorecastServer

/// The spans of dispatches, from when they come to their outcomes.
@Suite(.timeLimit(.minutes(30)), .fewAtATime) struct TracingTests {
    /// The example of W3C Trace Context, section 3.2.
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    @TaskLocal private static var current: String?

    private let tracer = InMemoryTracer()

    private func spans(_ count: Int) async -> [FinishedInMemorySpan] {
        #expect(await eventually { tracer.finishedSpans.count >= count })
        return tracer.finishedSpans
    }

    private func attributes(_ span: FinishedInMemorySpan) -> [String: String] {
        var found: [String: String] = [:]
        span.attributes.forEach { name, value in
            switch value {
            case .string(let text): found[name] = text
            case .int64(let number): found[name] = "\(number)"
            default: found[name] = "of another type"
            }
        }
        return found
    }

    @Test func `each has a span with what it was and what became of it, in the client's own`()
        async throws
    {
        let server = SyncServer(port: 0, tracer: tracer, room: Tallies.room)
        let connection = RemoteConnection(
            try await server.start(), traceparent: { Self.current })
        let taken = Self.$current.withValue(Self.parent) { connection.dispatch(Add(number: 1)) }
        _ = try await taken.outcome
        await #expect(throws: Rejection.self) {
            try await connection.dispatch(type: "Nonsense").outcome
        }
        let spans = await spans(2)
        #expect(spans.map(\.operationName) == ["storecast.dispatch", "storecast.dispatch"])
        #expect(spans.map(\.kind) == [.server, .server])
        #expect(
            attributes(spans[0]) == [
                "storecast.room": "/", "storecast.action.type": "Add", "storecast.seq": "1",
                "storecast.identity": "", "storecast.outcome": "taken", "storecast.version": "1",
            ])
        #expect(
            attributes(spans[1]) == [
                "storecast.room": "/", "storecast.action.type": "Nonsense", "storecast.seq": "2",
                "storecast.identity": "", "storecast.outcome": "unknown-action",
                "storecast.version": "1",
            ])
        #expect(spans[0].status == nil)
        #expect(spans[1].status?.code == .error)
        let given = tracer.performedContextExtractions.map { $0.carrier as? [String: String] }
        #expect(given == [["traceparent": Self.parent]])
        #expect(
            Set(attributes(spans[0]).keys) == Set(SessionTrace.Attribute.allCases.map(\.rawValue)))
        connection.close()
        await server.stop()
    }

    @Test func `one without an outcome ends with its connection, and says so`() async throws {
        let journal = FickleJournal()
        var limits = SyncLimits()
        limits.drainTimeout = .milliseconds(40)
        let server = SyncServer(
            port: 0, journal: journal.provider(), limits: limits, tracer: tracer,
            room: Tallies.room)
        let connection = RemoteConnection(try await server.start())
        #expect(await connection.isLive())
        journal.takesAppends = false
        connection.dispatch(Add(number: 1))
        #expect(await eventually { tracer.activeSpans.count == 1 })
        connection.close()
        #expect(attributes(try #require(await spans(1).first))["storecast.outcome"] == "unknown")
        await server.stop()
    }

    /// An edge and its owner, each with its tracer; the client's dispatch has an outcome.
    private func dispatchThroughEdge(
        _ near: any Tracer, _ far: any Tracer, traceparent: String?
    ) async throws {
        let key = try EdgeKey(text: "0123456789abcdef")
        let owner = SyncServer(port: 0, tracer: far, room: Tallies.room, edgeKey: key)
        let url = try await owner.start()
        let edge = SyncServer(
            port: 0, tracer: near, upstream: try Upstream(String(url.dropLast()), key: key),
            rooms: { _ in nil })
        let connection = RemoteConnection(
            try await edge.start(), traceparent: { traceparent })
        _ = try await connection.dispatch(Add(number: 1)).outcome
        connection.close()
        await edge.stop()
        await owner.stop()
    }

    private func parents(of tracer: InMemoryTracer) -> [String?] {
        tracer.performedContextExtractions.map {
            ($0.carrier as? [String: String])?["traceparent"]
        }
    }

    @Test func `the owner of an edge's rooms has spans of them, in the client's own`()
        async throws
    {
        try await dispatchThroughEdge(NoOpTracer(), tracer, traceparent: Self.parent)
        let span = try #require(await spans(1).first)
        #expect(attributes(span)["storecast.outcome"] == "taken")
        #expect(attributes(span)["storecast.action.type"] == "Add")
        #expect(parents(of: tracer) == [Self.parent])
    }

    @Test(arguments: [Self.parent, nil])
    func `where the edge has spans, those of the owner are in them`(
        traceparent: String?
    ) async throws {
        let near = WritingTracer()
        try await dispatchThroughEdge(near, tracer, traceparent: traceparent)
        #expect(await spans(1).count == 1)
        let span = try #require(near.base.finishedSpans.first)
        #expect(parents(of: tracer) == [span.spanID])
    }

    @Test func `what is too long to be a parent is none`() async throws {
        let server = SyncServer(port: 0, tracer: tracer, room: Tallies.room)
        let connection = RemoteConnection(
            try await server.start(), traceparent: { String(repeating: "0", count: 129) })
        _ = try await connection.dispatch(Add(number: 1)).outcome
        #expect(await spans(1).count == 1)
        #expect(tracer.performedContextExtractions.isEmpty)
        connection.close()
        await server.stop()
    }
}

/// Names its spans in `traceparent` as another tracer does that it has, which doesn't.
private struct WritingTracer: Tracer {
    let base = InMemoryTracer()

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
        file fileID: String, line: UInt
    ) -> InMemorySpan {
        base.startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function,
            file: fileID, line: line)
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = context.inMemorySpanContext?.spanID else { return }
        injector.inject(span, forKey: "traceparent", into: &carrier)
    }
}
