import StorecastWebSocket

extension WebSocketFrameHeader {
    /// A whole unmasked text frame.
    static func frame(text: some Collection<UInt8>) -> [UInt8] {
        var frame: [UInt8] = []
        append(.text, payloadLength: text.count, to: &frame)
        frame.append(contentsOf: text)
        return frame
    }
}

extension WebSocketConnection {
    /// Sends one text message; as `write(raw:)`.
    @discardableResult
    func send(text: UnsafeRawBufferPointer) -> Bool {
        write(WebSocketFrameHeader.frame(text: text))
    }
}
