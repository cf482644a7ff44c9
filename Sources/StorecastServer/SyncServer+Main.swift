#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

extension SyncServer {
    /// Serves as all that a program does.
    ///
    /// ```swift
    /// await SyncServer(port: 9090, room: room).main()
    /// ```
    /// Returns when ``run(onListening:)`` does. If the server can't start, as when its port is
    /// taken, says why on standard error and ends the program with the status 1.
    ///
    /// - Parameter onListening: called with the server's URL when clients can connect; prints it if
    ///   nothing else is given.
    public func main(
        onListening: @Sendable (_ url: String) -> Void = { url in print("listening on \(url)") }
    ) async {
        do throws(ServerError) {
            try await run(onListening: onListening)
        } catch {
            let text = "Error: \(error)\n"
            _ = text.withCString { write(STDERR_FILENO, $0, text.utf8.count) }
            exit(1)
        }
    }
}
