import CLibWebSockets
import Glibc

/// One attempt of a client to reach its server: finds the addresses, opens a TCP connection, and
/// lets libwebsockets do the handshake on it.
///
/// The library would look up addresses on the loop's thread, not tell why it failed, and on a libuv
/// loop leak a poll handle for each connection that fails: it doesn't open the connection.
final class ConnectionAttempt {
    private let core: LoopCore
    private let configuration: WebSocketClientConfiguration
    private var connector: HostConnector?

    init(on core: LoopCore, to configuration: WebSocketClientConfiguration) {
        self.core = core
        self.configuration = configuration
    }

    private var target: String { "\(configuration.host):\(configuration.port)" }

    /// Connects; `done` is given the descriptor, which it then owns, or a sentence.
    func start(_ done: @escaping (Result<Int32, WebSocketError>) -> Void) {
        let connector = HostConnector(
            on: core, to: configuration.host, port: configuration.port, done: done)
        self.connector = connector
        connector.start()
    }

    /// Gives up; `done` isn't called any more.
    func cancel() {
        connector?.cancel()
        connector = nil
    }

    /// Lets the library do its handshake on a TCP connection; a sentence if it can't even begin.
    ///
    /// The library can't be given a connection; it opens its own. So it connects to port 1 of this
    /// machine, and before it looks whether that worked, its descriptor is replaced (`dup3`) by the
    /// connection that is open already.
    func handshake(_ connection: WebSocketConnection, on descriptor: Int32) -> String? {
        defer { Glibc.close(descriptor) }
        let library: LibWebSockets
        let host: OpaquePointer
        do throws(WebSocketError) {
            library = try core.libWebSockets()
            host = try library.clientHost(
                tls: configuration.tls,
                certificateAuthorityFile: configuration.certificateAuthorityFile)
        } catch {
            return error.description
        }
        var info = lws_client_connect_info()
        library.address(&info)
        info.vhost = host
        info.port = 1
        info.ietf_version_or_minus_one = -1
        info.ssl_connection = configuration.tls ? Int32(LCCSCF_USE_SSL.rawValue) : 0
        // Released when the library destroys its object.
        info.opaque_user_data = connection.retainForLibrary()
        guard let wsi = connect(&info) else {
            return "The connection to \(target) could not be begun."
        }
        connection.attach(wsi)
        guard sc_replace_descriptor(descriptor, lws_get_socket_fd(wsi)) >= 0 else {
            connection.kill()
            return "The connection to \(target) could not be handed over."
        }
        return nil
    }

    /// The library's text about a failed handshake, as a sentence for people.
    func sentence(about wsi: OpaquePointer, _ text: String) -> String {
        if text.hasPrefix("HS: ws upgrade") {
            let status = lws_http_client_http_response(wsi)
            // What servers say to those who speak to them without TLS.
            let hint = status == 400 && !configuration.tls ? " Does it want wss://?" : ""
            return "The server at \(target) answered HTTP status \(status) instead of a WebSocket."
                + hint
        }
        if text.hasPrefix("HS: PROTOCOL") {
            return "The server at \(target) chose a subprotocol that was not offered."
        }
        if text.hasPrefix("HS: ") {
            let detail = text.dropFirst(4)
            return "The server at \(target) does not answer as a WebSocket server (\(detail))."
        }
        if text.contains("SSL") {
            return """
                The TLS handshake with \(target) failed; its certificate must be trusted and made \
                for this name.
                """
        }
        return "The handshake with \(target) failed: \(text.isEmpty ? "no reason given" : text)."
    }

    private func connect(_ info: inout lws_client_connect_info) -> OpaquePointer? {
        let offered = configuration.subprotocols.joined(separator: ", ")
        let strings = CStrings([
            "127.0.0.1", configuration.hostField, configuration.path, offered,
            ContextStorage.clientProtocolName,
        ])
        defer { strings.free() }
        info.address = strings[0]
        info.host = strings[1]
        info.path = strings[2]
        info.protocol = configuration.subprotocols.isEmpty ? nil : strings[3]
        info.local_protocol_name = strings[4]
        return lws_client_connect_via_info(&info)
    }
}

/// Strings for a C function that takes many.
private struct CStrings {
    private let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) { pointers = strings.map { strdup($0) } }

    subscript(index: Int) -> UnsafePointer<CChar>? { pointers[index].map { UnsafePointer($0) } }

    func free() { for pointer in pointers { Glibc.free(pointer) } }
}
