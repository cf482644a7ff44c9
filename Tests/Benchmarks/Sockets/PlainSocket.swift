import Glibc

/// Blocking TCP sockets on 127.0.0.1.
enum PlainSocket {
    /// - Parameter receiveBuffer: the size of the kernel's buffer, in bytes.
    static func connect(to port: Int, receiveBuffer: Int32? = nil) throws -> Int32 {
        let descriptor = try make()
        if let receiveBuffer { set(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        var address = address(port)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Failure("connect", code: errno) }
        disableDelay(descriptor)
        return descriptor
    }

    static func listen() throws -> Int32 {
        let descriptor = try make()
        var address = address(0)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0, Glibc.listen(descriptor, 1024) == 0 else {
            throw Failure("listen", code: errno)
        }
        return descriptor
    }

    static func port(of descriptor: Int32) throws -> Int {
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

    static func disableDelay(_ descriptor: Int32) {
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

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
