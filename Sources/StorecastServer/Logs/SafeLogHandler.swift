package import Logging
import StorecastSync

/// Has another handler log only what can't be mistaken for something else: no text of a client
/// begins a line of its own, controls a terminal, or hides or reorders what is around it.
struct SafeLogHandler: LogHandler {
    private var handler: any LogHandler

    init(_ handler: any LogHandler) { self.handler = handler }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\(event.message.description.shown)"
        event.metadata = event.metadata?.mapValues(Self.safe)
        handler.log(event: event)
    }

    private static func safe(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
        switch value {
        case .dictionary(let values): .dictionary(values.mapValues(safe))
        case .array(let values): .array(values.map(safe))
        case .stringConvertible(let number) where number.isNumber: value
        default: .string(value.description.shown)
        }
    }
}

extension Logger {
    /// The same logger, which a client's texts can't deceive.
    package var safe: Logger {
        var logger = self
        logger.handler = SafeLogHandler(handler)
        return logger
    }
}

extension CustomStringConvertible {
    /// Whether it is of one of the types of numbers that the server logs.
    var isNumber: Bool { self is Int || self is UInt64 || self is Double }
}
