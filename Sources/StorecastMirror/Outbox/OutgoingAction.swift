package import StorecastSync

/// An action on its way into an ``Outbox``.
package struct OutgoingAction: Sendable {
    package let type: String
    /// JSON text; empty for none.
    package let payload: [UInt8]
    /// The action itself, for mirrors that show it at once, in an outbox with its provisional
    /// stamp; nil if its type isn't known.
    package internal(set) var action: (any SyncAction)?
    /// How deep a message with it is nested.
    let depth: Int

    package init(type: String, payload: [UInt8], action: (any SyncAction)? = nil) {
        self.type = type
        self.payload = payload.elementsEqual("{}".utf8) ? [] : payload
        self.action = action
        // The batch, the frame and `action` are around the payload.
        depth = nesting(of: payload) + 3
    }

    /// What its frame takes at most, in bytes, whatever its numbers.
    var frameSize: Int { payload.count + type.utf8.count * 6 + 160 }
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
