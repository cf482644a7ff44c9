public import Logging
import StorecastPlatform
import StorecastSync
import StorecastWire

/// Logs to standard error, an object of JSON in a line of its own for each event.
///
/// ```swift
/// LoggingSystem.bootstrap { JSONLogHandler(label: $0) }
/// ```
/// An object has `time` (RFC 3339, in UTC, with milliseconds), `level`, `label` and `message`, and
/// a member for each piece of metadata; one that has the name of one of these ends in `_`. No text
/// of a client can be mistaken for something else: what controls, reorders or hides text is escaped.
public struct JSONLogHandler: LogHandler {
    /// The members that every object has, first and in this order.
    package static let members = ["time", "level", "label", "message"]

    /// What every line has beside its message.
    public var metadata: Logger.Metadata = [:]
    /// What is added for the task that logs.
    public var metadataProvider: Logger.MetadataProvider?
    /// The least severe level that is logged.
    public var logLevel = Logger.Level.info
    private let label: String
    private let now: @Sendable () -> Timestamp
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameter label: the logger's.
    public init(label: String) {
        self.init(label: label, now: Timestamp.now) { writeAll($0, to: STDERR_FILENO) }
    }

    /// - Parameter write: takes each line with its end.
    package init(
        label: String, now: @escaping @Sendable () -> Timestamp,
        writingTo write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.label = label
        self.now = now
        self.write = write
    }

    /// Metadata that every line has.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line.
    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error, all["error"] == nil { all["error"] = "\(error)" }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("time", now().description)
        writer.member("level", event.level.rawValue)
        writer.member("label", label.shown)
        writer.member("message", event.message.description.shown)
        var names = Set(Self.members)
        for (key, value) in all.sorted(by: { ExactString($0.key) < ExactString($1.key) }) {
            var key = key.shown
            while !names.insert(key).inserted { key += "_" }
            writer.write(key: key)
            Self.write(value, to: &writer)
        }
        writer.endObject()
        write(writer.bytes + [UInt8(ascii: "\n")])
    }

    private static func write(_ value: Logger.MetadataValue, to writer: inout JSONWriter) {
        switch value {
        case .dictionary(let values):
            writer.beginObject()
            for (key, value) in values.sorted(by: { ExactString($0.key) < ExactString($1.key) }) {
                writer.write(key: key.shown)
                write(value, to: &writer)
            }
            writer.endObject()
        case .array(let values):
            writer.beginArray()
            for value in values { write(value, to: &writer) }
            writer.endArray()
        case .stringConvertible(let number as Int): writer.write(number)
        case .stringConvertible(let number as UInt64): writer.write(number)
        case .stringConvertible(let number as Double) where number.isFinite: writer.write(number)
        default: writer.write(value.description.shown)
        }
    }
}

/// Writes all bytes; answers the error's number and how many were written if that fails.
@discardableResult
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> (written: Int, error: Int32?) {
    bytes.withUnsafeBytes { bytes in
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = write(descriptor, rest.baseAddress, rest.count)
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                return (written, errno)
            }
        }
        return (written, nil)
    }
}
