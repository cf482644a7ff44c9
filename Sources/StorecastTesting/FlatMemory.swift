import StorecastPlatform

#if os(Linux)
    /// Runs `body` repeatedly, and ends the process if that leaks memory.
    ///
    /// For exit tests: it measures the whole process, in which nothing else may run.
    ///
    /// - Parameters:
    ///   - rounds: how often, after a tenth as many rounds in which caches may fill.
    ///   - bytes: how much resident memory may grow: less than `rounds` leaks, more than noise.
    package func requireFlatMemory(
        rounds: Int, allowing bytes: Int = 3 << 20, _ body: (Int) async throws -> Void
    ) async rethrows {
        for round in 0..<rounds / 10 { try await body(round) }
        let before = residentBytes()
        for round in 0..<rounds { try await body(round) }
        let growth = residentBytes() - before
        guard growth <= bytes else {
            fatalError("\(rounds) rounds left \(growth) bytes, \(growth / rounds) each.")
        }
    }

    private func residentBytes() -> Int {
        let descriptor = open("/proc/self/statm", O_RDONLY)
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &text, text.count)
        let pages = String(decoding: text.prefix(max(0, count)), as: UTF8.self).split(
            separator: " ")
        guard pages.count > 1, let resident = Int(pages[1]) else { return 0 }
        return resident * Int(getpagesize())
    }
#endif
