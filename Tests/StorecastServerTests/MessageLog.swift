import Logging
import TestSupport

/// What a server logs, as it happens.
struct MessageLog: LogHandler {
    private let messages: AsyncStream<String>.Continuation
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        messages.yield("\(event.message)")
        for (key, value) in event.metadata ?? [:] { messages.yield("\(key): \(value)") }
    }

    /// A logger, and the messages and metadata that it is given in the first seconds.
    static func make() -> (logger: Logger, messages: AsyncStream<String>) {
        let (messages, continuation) = AsyncStream<String>.makeStream()
        let logger = Logger(label: "test") { _ in MessageLog(messages: continuation) }
        return (logger, messages.limited)
    }
}
