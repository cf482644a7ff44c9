// The one place that tells systems apart by their C library. What it exports is seen where it is
// imported, and not by those who use a target that imports it.

#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Android)
    @_exported public import Android
#else
    @_exported public import Darwin
#endif

/// What `fopen` returns.
#if canImport(Musl) || canImport(Android)
    package typealias FileStream = OpaquePointer
#else
    package typealias FileStream = UnsafeMutablePointer<FILE>
#endif

/// Brings what was written to a file or folder to the drive, so that it survives a loss of power.
///
/// - Returns: 0, or -1 with the reason in `errno`.
package func synchronize(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
        // fsync leaves it in the drive's own memory there.
        fcntl(descriptor, F_FULLFSYNC)
    #else
        fsync(descriptor)
    #endif
}

/// Fills memory with the system's random numbers, good for secrets.
///
/// - Parameter bytes: at most 256 bytes.
/// - Returns: false if there are none, with the reason in `errno`.
package func fillRandomly(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    #if canImport(Darwin)
        // Apple's App Store refuses apps that call `getentropy`.
        arc4random_buf(start, bytes.count)
        return true
    #else
        return getentropy(start, bytes.count) == 0
    #endif
}

extension sigaction {
    /// What calls `handler` for each signal.
    package init(handler: @escaping @convention(c) (Int32) -> Void) {
        self.init()
        #if canImport(Darwin)
            __sigaction_u.__sa_handler = handler
        #elseif canImport(Android)
            sa_handler = handler
        #elseif canImport(Musl)
            __sa_handler.sa_handler = handler
        #else
            __sigaction_handler.sa_handler = handler
        #endif
    }
}

/// How many files and sockets the process may have open; nil if it isn't known.
package func descriptorLimit() -> Int? {
    var limit = rlimit()
    #if canImport(Glibc)
        let code = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
        let code = getrlimit(RLIMIT_NOFILE, &limit)
    #endif
    return code == 0 ? Int(clamping: limit.rlim_cur) : nil
}
