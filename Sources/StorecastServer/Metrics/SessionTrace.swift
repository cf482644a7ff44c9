import StorecastRoom
import StorecastWire
import Tracing

/// The spans of a connection's dispatches.
final class SessionTrace: DispatchTrace {
    /// What each span has, as Docs/Reference.md says.
    enum Attribute: String, CaseIterable {
        case room = "storecast.room"
        case type = "storecast.action.type"
        case seq = "storecast.seq"
        case identity = "storecast.identity"
        case outcome = "storecast.outcome"
        case version = "storecast.version"
    }

    static let name = "storecast.dispatch"
    /// W3C Trace Context, of which the protocol has this member.
    private static let parent = "traceparent"
    /// What of a text of the client's is kept, in bytes.
    private static let longest = 128

    private let tracer: any Tracer
    private unowned let session: ServerSession
    /// Those of dispatches without an outcome: no more than a client may have of these.
    private var spans: [UInt64: any Span] = [:]

    init(_ tracer: any Tracer, _ session: ServerSession) {
        self.tracer = tracer
        self.session = session
    }

    func began(_ dispatch: ClientFrame.Dispatch) {
        var context = ServiceContext.topLevel
        if let parent = dispatch.traceparent, parent.utf8.count <= Self.longest {
            tracer.extract([Self.parent: parent], into: &context, using: Fields())
        }
        let span = tracer.startAnySpan(Self.name, context: context, ofKind: .server)
        span.attributes[Attribute.room.rawValue] = session.room.name
        span.attributes[Attribute.type.rawValue] = dispatch.type.excerpt(Self.longest)
        span.attributes[Attribute.seq.rawValue] = Int64(clamping: dispatch.seq)
        span.attributes[Attribute.identity.rawValue] = session.identity.id
        // It has come again.
        spans.updateValue(span, forKey: dispatch.seq)?.end()
    }

    func traceparent(of seq: UInt64) -> String? {
        guard let span = spans[seq] else { return nil }
        var fields: [String: String] = [:]
        tracer.inject(span.context, into: &fields, using: Fields())
        return fields[Self.parent].flatMap { $0.utf8.count <= Self.longest ? $0 : nil }
    }

    func ended(_ seq: UInt64, _ rejection: Rejection?) {
        guard let span = spans.removeValue(forKey: seq) else { return }
        span.attributes[Attribute.outcome.rawValue] = rejection?.code.description ?? "taken"
        span.attributes[Attribute.version.rawValue] = Int64(
            clamping: session.room.position.version)
        if let rejection { span.setStatus(SpanStatus(code: .error, message: rejection.title)) }
        span.end()
    }

    func closed() {
        for (_, span) in spans {
            span.attributes[Attribute.outcome.rawValue] = "unknown"
            span.end()
        }
        spans = [:]
    }

    private struct Fields: Extractor, Injector {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }

        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
            carrier[key] = value
        }
    }
}
