#if os(Linux)
    import Glibc

    /// Where a service manager hears from what it has started: the other end of `NOTIFY_SOCKET`
    /// (sd_notify(3)).
    package final class NotifySocket {
        private let descriptor: Int32

        /// - Parameter name: a file, or behind an `@` an abstract name.
        package init(_ name: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let path = name.hasPrefix("@") ? "\0" + name.dropFirst() : name
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let size = MemoryLayout<sa_family_t>.size + path.utf8.count
            let descriptor = descriptor
            let isBound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(size)) == 0
                }
            }
            guard isBound else { throw TooLate(description: "'\(name)' can't be bound.") }
        }

        deinit { close(descriptor) }

        /// The next message, if there is one by now.
        package func heard() -> String? {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }
#endif
