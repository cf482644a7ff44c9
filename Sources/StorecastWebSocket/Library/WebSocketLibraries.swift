import CLibWebSockets
import Glibc

/// The libraries that the process runs with, which needn't be those that it was built with.
package enum WebSocketLibraries {
    /// Their names and versions.
    package static var versions: [(name: String, version: String)] {
        [
            ("libwebsockets", text(lws_get_library_version())),
            ("libuv", text(uv_version_string())),
            ("OpenSSL", text(OpenSSL_version(OPENSSL_VERSION_STRING))),
        ]
    }

    /// How many descriptors a server makes use of, whatever the system allows: libwebsockets takes
    /// memory for each.
    static let mostDescriptors = 1 << 18

    /// How many descriptors this process may have: a server raises the soft limit to that.
    package static var descriptorLimit: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(min(limit.rlim_max, rlim_t(mostDescriptors)))
    }

    /// How many descriptors a server with so many connections needs: each takes two, its own and
    /// what libwebsockets writes to; and there are files and threads.
    package static func descriptors(connections: Int) -> Int { 2 * connections + 64 }

    /// How many connections so many descriptors are enough for.
    package static func connections(descriptors: Int) -> Int { max(1, (descriptors - 64) / 2) }

    private static func text(_ version: UnsafePointer<CChar>?) -> String {
        // libwebsockets names its build behind a hyphen, Debian's an empty one.
        version.map { String(String(cString: $0).prefix { $0 != "-" }) } ?? "unknown"
    }
}
