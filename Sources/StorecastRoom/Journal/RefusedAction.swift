import StorecastSync
package import StorecastWire

/// What is kept of a dispatch that was rejected before it was an action of the room's: for people
/// who look into the log. Not the payload, which is what anyone may have sent, and as much of it.
package struct RefusedAction: Equatable, Sendable {
    /// How much of a type is kept, in bytes.
    private static let longestType = 256

    package let type: String
    /// The size of the payload.
    package let bytes: Int
    /// The same for the same payload: FNV-1a of 64 bits in base 16, which says nothing of a payload
    /// that was made to look like another. Nil in logs of earlier versions.
    package let digest: String?
    /// What logs of earlier versions have: the first KiB of it.
    package let payload: String?

    /// - Parameter payload: JSON text; `{}` if there is none.
    package init(type: String, payload: String) {
        self.type = type.excerpt(Self.longestType)
        bytes = payload.utf8.count
        digest = String(FNV1a(of: payload).value, radix: 16)
        self.payload = nil
    }

    /// As logs of earlier versions have it.
    package init(type: String, beginning: String, bytes: Int) {
        self.type = type
        self.bytes = bytes
        payload = beginning
        digest = nil
    }

    /// For people: how large the payload was, and what is known of it.
    package var summary: String {
        let known = payload.map { $0.utf8.count < bytes ? "\($0)… (cut)" : $0 }
        return known ?? digest.map { "digest \($0)" } ?? ""
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
    /// Writes it as `{"type":…,"bytes":…,"digest":…}`.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", type)
        if let payload { writer.member("payload", payload) }
        writer.member("bytes", bytes)
        if let digest { writer.member("digest", digest) }
        writer.endObject()
    }

    /// Reads what ``write(to:)`` wrote; nil if it isn't that.
    package init?(_ view: JSONView) {
        guard let type = view["type"]?.string, let bytes = view["bytes"]?.int else { return nil }
        (self.type, self.bytes) = (type, bytes)
        digest = view["digest"]?.string
        payload = view["payload"]?.string
        guard digest != nil || payload != nil, bytes >= payload?.utf8.count ?? 0
        else { return nil }
    }
}
