#if os(Linux)
    import Foundation
    import Glibc

    /// A port of this machine on which nobody listens until a test does.
    package final class HeldPort: Sendable {
        package let number: Int
        private let descriptor: Int32

        /// - Parameter isShared: whether others that reuse addresses may have it as well, as long as
        ///   nobody listens.
        package init(isShared: Bool = false) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var one: Int32 = isShared ? 1 : 0
            setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
            var address = Self.address(0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let isBound = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(descriptor, address, length) == 0
                        && getsockname(descriptor, address, &length) == 0
                }
            }
            guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            number = Int(UInt16(bigEndian: address.sin_port))
        }

        deinit { close(descriptor) }

        package func listen() { _ = Glibc.listen(descriptor, 1) }

        /// Whether somebody listens.
        package func answers() -> Bool {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { Glibc.close(client) }
            var address = Self.address(number)
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }

        private static func address(_ port: Int) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = in_port_t(port).bigEndian
            return address
        }
    }
#endif
