import StorecastSync
package import StorecastWire

/// What was in a dispatch that was rejected before it was an action of the room's: for people who
/// look into the log. It is never decoded, and is what anyone may have sent.
package struct RefusedAction: Equatable, Sendable {
    /// How much of a type is kept, and of a payload; in bytes.
    private static let longest = (type: 256, payload: 1024)

    package let type: String
    /// The beginning of the payload's JSON text, or all of it.
    package let payload: String
    /// The size of the whole payload.
    package let bytes: Int

    /// Whether ``payload`` is only the beginning.
    package var isCut: Bool { payload.utf8.count < bytes }

    /// - Parameter payload: JSON text; `{}` if there is none.
    package init(type: String, payload: String) {
        self.type = type.excerpt(Self.longest.type)
        bytes = payload.utf8.count
        let excerpt = payload.excerpt(Self.longest.payload)
        let isWhole = bytes <= Self.longest.payload
        self.payload = isWhole ? payload : String(excerpt.unicodeScalars.dropLast())
    }

    init(_ dispatch: ClientFrame.Dispatch) {
        let payload = dispatch.payload?.withBytes { String(decoding: $0, as: UTF8.self) }
        self.init(type: dispatch.type, payload: payload ?? "{}")
    }

    /// An action that was read, but can't be kept.
    init(_ action: any SyncAction) {
        let payload = try? JSONCoding.encode(action)
        self.init(
            type: Swift.type(of: action).wireName,
            payload: payload.map { String(decoding: $0, as: UTF8.self) } ?? "")
    }
}

extension RefusedAction {
    /// Writes it as `{"type":…,"payload":…,"bytes":…}`, where the payload is a string.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", type)
        writer.member("payload", payload)
        writer.member("bytes", bytes)
        writer.endObject()
    }

    /// Reads what ``write(to:)`` wrote; nil if it isn't that.
    package init?(_ view: JSONView) {
        guard let type = view["type"]?.string, let payload = view["payload"]?.string,
            let bytes = view["bytes"]?.int, bytes >= payload.utf8.count
        else { return nil }
        self.type = type
        self.payload = payload
        self.bytes = bytes
    }
}
