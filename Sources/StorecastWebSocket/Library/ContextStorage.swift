import CLibWebSockets

/// The C memory that a libwebsockets context refers to: never freed, as the context isn't.
final class ContextStorage {
    let loops: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    let serverProtocols: UnsafeMutablePointer<lws_protocols>
    let clientProtocols: UnsafeMutablePointer<lws_protocols>
    /// Who the object that the library is about to make for an accepted connection is for; the
    /// library's function that takes a request as well has no argument for it.
    let newcomer: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let retry: UnsafeMutablePointer<lws_retry_bo_t>
    private let names: UnsafeMutablePointer<CChar>

    static let clientProtocolName = "storecast-client"
    private static let nameCapacity = LibWebSockets.maximumSubprotocolLength + 1

    init(loop: UnsafeMutablePointer<uv_loop_t>) {
        loops = .allocate(capacity: 1)
        loops.initialize(to: UnsafeMutableRawPointer(loop))
        newcomer = .allocate(capacity: 1)
        newcomer.initialize(to: nil)
        // Its own pings are sorted timers, one a connection: ours are a wheel (`Heartbeat`).
        retry = .allocate(capacity: 1)
        retry.initialize(to: lws_retry_bo_t())
        retry.pointee.secs_since_valid_ping = 0
        retry.pointee.secs_since_valid_hangup = 0
        names = .allocate(capacity: 2 * Self.nameCapacity)
        names.initialize(repeating: 0, count: 2 * Self.nameCapacity)
        // Servers read by themselves (`SocketReader`): a buffer per connection would be idle.
        serverProtocols = Self.makeProtocols(name: names, receiveBytes: 16)
        let clientName = names + Self.nameCapacity
        clientProtocols = Self.makeProtocols(name: clientName, receiveBytes: 16 << 10)
        Self.copy("-", to: names)
        Self.copy(Self.clientProtocolName, to: clientName)
    }

    func setServerProtocolName(_ name: String) { Self.copy(name, to: names) }

    /// Adds a virtual host that never listens and never asks a proxy from the environment.
    func makeHost(
        _ context: OpaquePointer, _ info: inout lws_context_creation_info,
        _ protocols: UnsafeMutablePointer<lws_protocols>
    ) -> OpaquePointer? {
        info.protocols = UnsafePointer(protocols)
        info.retry_and_idle_policy = UnsafePointer(retry)
        info.timeout_secs = 30
        return "".withCString { empty in
            "http/1.1".withCString { alpn in
                info.http_proxy_address = empty
                info.alpn = alpn
                return lws_create_vhost(context, &info)
            }
        }
    }

    /// One protocol and the empty one that ends the list.
    private static func makeProtocols(
        name: UnsafeMutablePointer<CChar>, receiveBytes: Int
    ) -> UnsafeMutablePointer<lws_protocols> {
        let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        protocols.initialize(repeating: lws_protocols(), count: 2)
        protocols[0].name = UnsafePointer(name)
        protocols[0].callback = webSocketCallback
        protocols[0].rx_buffer_size = receiveBytes
        // Without it a write is cut into pieces of the receive buffer's size.
        protocols[0].tx_packet_size = 1 << 20
        return protocols
    }

    private static func copy(_ name: String, to target: UnsafeMutablePointer<CChar>) {
        var index = 0
        for byte in name.utf8.prefix(nameCapacity - 1) {
            target[index] = CChar(bitPattern: byte)
            index += 1
        }
        target[index] = 0
    }
}
