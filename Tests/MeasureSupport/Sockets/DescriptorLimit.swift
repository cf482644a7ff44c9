import Glibc
import StorecastWebSocket

/// How many files this process may have open.
package enum DescriptorLimit {
    /// Raises the soft limit to the hard one.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// How many connections a server in a process like this takes.
    package static var connections: Int {
        WebSocketLibraries.connections(descriptors: WebSocketLibraries.descriptorLimit)
    }
}
