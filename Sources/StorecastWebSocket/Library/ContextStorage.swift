import CLibWebSockets

/// The C memory that a libwebsockets context refers to. Never freed, as the context isn't.
final class ContextStorage {
    let loops: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    let serverProtocols: UnsafeMutablePointer<lws_protocols>
    let clientProtocols: UnsafeMutablePointer<lws_protocols>
    /// The owner of the object that the library is about to make for an accepted connection:
    /// the library's function that takes a socket and its request has no argument for it.
    let newcomer: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let retry: UnsafeMutablePointer<lws_retry_bo_t>
    private let names: UnsafeMutablePointer<CChar>

    static let clientProtocolName = "storecast-client"
    private static let nameCapacity = LibWebSockets.maximumSubprotocolLength + 1

    init(
        loop: UnsafeMutablePointer<uv_loop_t>, callback: @escaping LibWebSockets.Callback
    ) {
        loops = .allocate(capacity: 1)
        loops.initialize(to: UnsafeMutableRawPointer(loop))
        newcomer = .allocate(capacity: 1)
        newcomer.initialize(to: nil)
        // The library's pings take a sorted timer for each connection; ours are a timer wheel.
        retry = .allocate(capacity: 1)
        retry.initialize(to: lws_retry_bo_t())
        retry.pointee.secs_since_valid_ping = 0
        retry.pointee.secs_since_valid_hangup = 0
        names = .allocate(capacity: 2 * Self.nameCapacity)
        names.initialize(repeating: 0, count: 2 * Self.nameCapacity)
        // Servers read their sockets themselves: the library's buffer per connection is unused.
        serverProtocols = Self.makeProtocols(
            name: names, receiveBytes: 16, callback: callback)
        let clientName = names + Self.nameCapacity
        clientProtocols = Self.makeProtocols(
            name: clientName, receiveBytes: 16 << 10, callback: callback)
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
        name: UnsafeMutablePointer<CChar>, receiveBytes: Int,
        callback: @escaping LibWebSockets.Callback
    ) -> UnsafeMutablePointer<lws_protocols> {
        let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        protocols.initialize(repeating: lws_protocols(), count: 2)
        protocols[0].name = UnsafePointer(name)
        protocols[0].callback = callback
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
