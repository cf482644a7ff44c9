import Glibc

/// Blocking TCP sockets on 127.0.0.1.
package enum PlainSocket {
    /// - Parameters:
    ///   - source: the last two bytes of the address, 127.0.x.y, that it comes from; nil for
    ///     127.0.0.1.
    ///   - receiveBuffer: the size of the kernel's buffer, in bytes.
    ///   - patience: how long connecting may take.
    package static func connect(
        to port: Int, from source: UInt16? = nil, receiveBuffer: Int32? = nil,
        patience: Duration? = nil
    ) throws -> Int32 {
        let descriptor = try make()
        if let patience {
            var limit = timeval(
                tv_sec: Int(max(patience, .seconds(1)).components.seconds), tv_usec: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        if let receiveBuffer { set(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        do {
            if let source {
                // The port is chosen as late as without an address of one's own.
                set(descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, 1)
                try call("bind", bind, descriptor, address(0, host: source))
            }
            try call("connect", Glibc.connect, descriptor, address(port))
        } catch {
            close(descriptor)
            throw error
        }
        disableDelay(descriptor)
        return descriptor
    }

    package static func listen() throws -> Int32 {
        let descriptor = try make()
        try call("bind", bind, descriptor, address(0))
        guard Glibc.listen(descriptor, 1024) == 0 else { throw Failure("listen", code: errno) }
        return descriptor
    }

    package static func port(of descriptor: Int32) throws -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        guard code == 0 else { throw Failure("find the port", code: errno) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    package static func disableDelay(_ descriptor: Int32) {
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    private static func make() throws -> Int32 {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("make a socket", code: errno) }
        return descriptor
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func call(
        _ name: String, _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32,
        _ descriptor: Int32, _ address: sockaddr_in
    ) throws {
        let code = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Failure(name, code: errno) }
    }

    private static func address(_ port: Int, host: UInt16 = 1) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
        return address
    }
}
