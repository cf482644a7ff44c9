#if os(Linux)
    import Foundation
    import Glibc
    import Synchronization

    /// Passes a client on to a server on this machine, what the client says one byte at a time. For one
    /// connection.
    package final class TestRelay: Sendable {
        package let port: Int
        private let isHolding = Atomic(false)

        package init(to target: Int) throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            port = try Self.withLoopback(0) { address, length in
                guard bind(listener, address, length) == 0, listen(listener, 1) == 0 else {
                    return nil
                }
                var length = length
                guard getsockname(listener, address, &length) == 0 else { return nil }
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int(UInt16(bigEndian: $0.pointee.sin_port))
                }
            }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            _ = try Self.withLoopback(target) { address, length in
                connect(server, address, length) == 0 ? 0 : nil
            }
            Thread.detachNewThread { [self] in
                let client = accept(listener, nil, nil)
                close(listener)
                for descriptor in [client, server] {
                    var one: Int32 = 1
                    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
                }
                Thread.detachNewThread { Self.copy(from: server, to: client, most: 65536) }
                copy(from: client, to: server)
            }
        }

        /// What the client says from now on comes at once, when it has ended its connection.
        package func hold() { isHolding.store(true, ordering: .sequentiallyConsistent) }

        private func copy(from client: Int32, to server: Int32) {
            var held: [UInt8] = []
            var byte: UInt8 = 0
            while recv(client, &byte, 1, 0) > 0 {
                held.append(byte)
                if isHolding.load(ordering: .sequentiallyConsistent) { continue }
                guard send(server, held, held.count, Int32(MSG_NOSIGNAL)) == held.count else {
                    break
                }
                held = []
            }
            send(server, held, held.count, Int32(MSG_NOSIGNAL))
            shutdown(server, Int32(SHUT_WR))
        }

        /// Ends with either of the two; the descriptors stay open as long as the test's process.
        private static func copy(from source: Int32, to target: Int32, most: Int) {
            var bytes = [UInt8](repeating: 0, count: most)
            while true {
                let count = recv(source, &bytes, most, 0)
                guard count > 0, send(target, bytes, count, Int32(MSG_NOSIGNAL)) == count else {
                    break
                }
            }
            shutdown(target, Int32(SHUT_WR))
        }

        private static func withLoopback<Result>(
            _ port: Int, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result?
        ) throws -> Result {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let result = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard let result else { throw POSIXError(.EADDRNOTAVAIL) }
            return result
        }
    }
#endif
