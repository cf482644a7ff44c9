import StorecastRoom
import StorecastWire

/// A dispatch as the devtools show it.
struct LoggedDispatch: Encodable {
    struct LoggedAction: Encodable {
        var type: String
        /// Nil if it is too long to be shown with others.
        var payload: JSON?
        /// The beginning of a payload that is too long.
        var excerpt: String?
        /// The size of the payload's text.
        var bytes: Int
    }

    private static let longestPayload = 1024
    private static let longestExcerpt = 240

    /// Its number in a live log.
    var number: UInt64?
    /// Its place in the journal, where that is known.
    var offset: UInt64?
    /// The room's version behind it.
    var version: UInt64 = 0
    /// Seconds since 1970.
    var time: Double
    var user: String
    var participant: String
    var seq: UInt64
    var actions: [LoggedAction]
    var rejection: String?

    init(_ record: JournalRecord, cutting: Bool) {
        time = record.time.secondsSince1970
        user = record.sender.id
        participant = participantID(of: record.client)
        seq = record.seq
        rejection = record.rejection?.description
        actions = record.actions.map { action in
            let bytes = action.payload.count
            guard !cutting || bytes <= Self.longestPayload else {
                let excerpt = String(
                    decoding: action.payload.prefix(Self.longestExcerpt), as: UTF8.self)
                return LoggedAction(type: action.type, excerpt: excerpt, bytes: bytes)
            }
            let document = try? JSONDocument(action.payload, limits: .trusted)
            return LoggedAction(
                type: action.type, payload: document?.root.json ?? .null, bytes: bytes)
        }
        if let refused = record.refused { actions.append(LoggedAction(refused)) }
    }
}

extension LoggedDispatch.LoggedAction {
    /// What came in place of an action.
    fileprivate init(_ refused: RefusedAction) {
        type = refused.type
        bytes = refused.bytes
        let document = refused.isCut ? nil : try? JSONDocument(refused.payload)
        payload = document?.root.json
        excerpt = document == nil ? refused.payload : nil
    }
}
