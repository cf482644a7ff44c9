import Logging

/// What a line of the server's log has beside its message; Docs/Reference.md explains each.
package enum LogField: String, CaseIterable, Sendable {
    /// The connection's number, the same in every line about it.
    case connection
    case room
    case identity
    case address
    case origin
    case host
    case url
    case signal
    case percent
    case seconds
    case messagesIn = "messages-in"
    case bytesIn = "bytes-in"
    case messagesOut = "messages-out"
    case bytesOut = "bytes-out"
    case taken
    case rejected
    case code
    case reason
    case ended
    case leftOut = "left-out"
    case part
}

extension Logger {
    /// Logs a message with what belongs to it, in the names that there are for that. An empty text
    /// is left out.
    func log(
        _ level: Level, _ message: @autoclosure () -> Message,
        _ fields: @autoclosure () -> KeyValuePairs<LogField, any CustomStringConvertible & Sendable>
    ) {
        guard logLevel <= level else { return }
        let pairs = fields().filter { ($0.value as? String)?.isEmpty != true }
            .map { ($0.key.rawValue, MetadataValue.stringConvertible($0.value)) }
        log(level: level, message(), metadata: Dictionary(pairs) { $1 })
    }
}
