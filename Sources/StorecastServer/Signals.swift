#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// The signals that mean something to a server.
enum Signals {
    /// Those that ask a process to end.
    static let ending: [Int32] = [SIGINT, SIGTERM]
}
