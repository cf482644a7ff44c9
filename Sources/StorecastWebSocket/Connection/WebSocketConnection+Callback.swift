import CLibWebSockets

extension LoopCore {
    /// The libwebsockets context of this loop, made when first needed.
    func libWebSockets() throws(WebSocketError) -> LibWebSockets {
        try libWebSockets(calling: webSocketCallback)
    }
}

/// What libwebsockets calls for every event: finds the connection and calls the right method.
///
/// The connection belongs to the library's object for as long as that lives: it is retained when
/// the object is made, and released here when the object is destroyed.
func webSocketCallback(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
    // A raw connection, which the CONNECT method makes, would have no time limit.
    if isRaw(reason) { return -1 }
    if reason == LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED, let wsi { attach(wsi) }
    guard let wsi, let data = lws_get_opaque_user_data(wsi) else { return 0 }
    let reference = Unmanaged<WebSocketConnection>.fromOpaque(data)
    let bytes = UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : length)
    if reason == LWS_CALLBACK_WSI_DESTROY {
        lws_set_opaque_user_data(wsi, nil)
        reference.takeRetainedValue().libraryDestroyed()
        return 0
    }
    // Not released while its own method runs, whatever the delegate does.
    let connection = reference.takeUnretainedValue()
    switch reason {
    case LWS_CALLBACK_CLIENT_RECEIVE:
        connection.receive(bytes, from: wsi)
    case LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_CLIENT_WRITEABLE:
        connection.becameWritable()
    case LWS_CALLBACK_CLIENT_RECEIVE_PONG:
        connection.heard()
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return connection.confirmUpgrade(wsi)
    case LWS_CALLBACK_ESTABLISHED, LWS_CALLBACK_CLIENT_ESTABLISHED:
        connection.established(wsi)
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        let (frame, isValid) = CloseFrame.read(bytes)
        connection.peerCloses(frame, isValid: isValid)
        return -1
    case LWS_CALLBACK_WS_SERVER_DROP_PROTOCOL, LWS_CALLBACK_WS_CLIENT_DROP_PROTOCOL:
        connection.libraryCloses()
    case LWS_CALLBACK_CLOSED, LWS_CALLBACK_CLIENT_CLOSED:
        connection.libraryClosed(wsi)
    case LWS_CALLBACK_HTTP:
        return connection.answerPlainRequest(wsi)
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
        return connection.appendRequestHeaders(input, capacity: length)
    case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
        return connection.checkAnswer(wsi)
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        connection.failedToConnect(wsi, String(decoding: bytes, as: UTF8.self))
    case LWS_CALLBACK_CLIENT_HTTP_REDIRECT:
        return -1
    default: break
    }
    return 0
}

/// Ties the object that the library has just made to its connection.
private func attach(_ wsi: OpaquePointer) {
    guard let reference = LibWebSockets.takeNewcomer(of: wsi) else { return }
    lws_set_opaque_user_data(wsi, reference)
    Unmanaged<WebSocketConnection>.fromOpaque(reference).takeUnretainedValue().attach(wsi)
}

private func isRaw(_ reason: lws_callback_reasons) -> Bool {
    reason == LWS_CALLBACK_RAW_ADOPT || reason == LWS_CALLBACK_RAW_CONNECTED
        || reason == LWS_CALLBACK_RAW_RX
}
