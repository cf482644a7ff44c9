package import StorecastSync

/// An action on its way into an ``Outbox``.
package struct OutgoingAction: Sendable {
    package let type: String
    /// JSON text; empty for none.
    package let payload: [UInt8]
    /// The action itself, for mirrors that show it at once, in an outbox with its provisional
    /// stamp; nil if its type isn't known.
    package internal(set) var action: (any SyncAction)?
    /// The span that it belongs to; not kept in files.
    let traceparent: String?
    /// How deep a message with it is nested.
    let depth: Int

    package init(
        type: String, payload: [UInt8], action: (any SyncAction)? = nil, traceparent: String? = nil
    ) {
        self.type = type
        self.traceparent = traceparent
        self.payload = payload.elementsEqual("{}".utf8) ? [] : payload
        self.action = action
        // The batch, the frame and `action` are around the payload.
        depth = nesting(of: payload) + 3
    }

    /// What its frame takes at most, in bytes, whatever its numbers.
    var frameSize: Int {
        payload.count + type.utf8.count * 6 + 160
            + (traceparent.map { $0.utf8.count * 6 + 20 } ?? 0)
    }
}

/// How deep arrays and objects are nested in JSON text that is known to be valid.
private func nesting(of text: [UInt8]) -> Int {
    var depth = 0
    var deepest = 0
    var isString = false
    var isEscaped = false
    for byte in text {
        if isEscaped {
            isEscaped = false
        } else if isString {
            isEscaped = byte == UInt8(ascii: "\\")
            isString = byte != UInt8(ascii: "\"")
        } else if byte == UInt8(ascii: "\"") {
            isString = true
        } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
            depth += 1
            deepest = max(deepest, depth)
        } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            depth -= 1
        }
    }
    return deepest
}

/// One dispatch of an ``Outbox``.
struct OutboxEntry: Sendable {
    let seq: UInt64
    /// The room's version when the action was made; known once it is admitted.
    var base: UInt64 = 0
    /// The action; nil when the dispatch has its outcome, and stays only for those before it.
    private(set) var outgoing: OutgoingAction?
    let outcome: DispatchOutcome

    init(seq: UInt64, _ outgoing: OutgoingAction, _ outcome: DispatchOutcome) {
        self.seq = seq
        self.outgoing = outgoing
        self.outcome = outcome
    }

    var isEnded: Bool { outgoing == nil }
    var frameSize: Int { outgoing?.frameSize ?? 0 }

    mutating func end() {
        outgoing = nil
    }

    /// The provisional stamp of its action has another sender.
    mutating func restamp(with sender: Identity) {
        guard var action = outgoing?.action as? any Stamped else { return }
        action.stamp.sender = sender
        outgoing?.action = action
    }
}

/// What a client puts in the place of the server's stamps until it has those.
package struct ProvisionalStamps: Sendable {
    private let client: String
    var sender: Identity
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - client: the client's id.
    ///   - sender: who the server will take the client for, as far as that is known.
    ///   - now: the client's clock.
    package init(client: String, sender: Identity, now: @escaping @Sendable () -> Timestamp) {
        self.client = client
        self.sender = sender
        self.now = now
    }

    /// The action as the client's `seq`th dispatch: its stamp's id is the final one, everything
    /// else a guess. Nil if it isn't ``Stamped``.
    func stamp(_ action: any SyncAction, seq: UInt64) -> (any SyncAction)? {
        guard var action = action as? any Stamped else { return nil }
        let id = stampID(client: client, seq: seq)
        action.stamp = Stamp(id: id, sender: sender, time: now(), seed: FNV1a(of: id).value)
        return action
    }
}
