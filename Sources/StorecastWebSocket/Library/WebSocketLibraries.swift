import CLibWebSockets

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
    package static let mostDescriptors = 1 << 18

    private static func text(_ version: UnsafePointer<CChar>?) -> String {
        // libwebsockets names its build behind a hyphen, Debian's an empty one.
        version.map { String(String(cString: $0).prefix { $0 != "-" }) } ?? "unknown"
    }
}
