#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The machine's processors.
enum Processors {
    /// How many are there.
    static var count: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
