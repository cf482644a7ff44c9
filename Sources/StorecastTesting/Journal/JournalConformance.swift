package import StorecastRoom

/// What every ``Journal`` has to do: checks, each a sentence, that a test runs on an
/// implementation.
///
/// ```swift
/// @Test(arguments: JournalConformance.all)
/// func `keeps what a journal promises`(check: JournalConformance) async throws {
///     let file = temporaryFile()
///     try await check.run { () throws(JournalError) in try await SQLiteStore.open(file) }
/// }
/// ```
/// What is wrong fails the test that is running, under Swift Testing and XCTest.
package struct JournalConformance: Sendable, CustomStringConvertible {
    typealias Body = @MainActor @Sendable (JournalBench) async throws -> Void

    /// What a journal does that keeps the check.
    package let description: String
    private let durable: Bool
    private let body: Body

    init(_ description: String, durable: Bool = false, _ body: @escaping Body) {
        self.description = description
        self.durable = durable
        self.body = body
    }

    /// Every check. Those of what is kept when a store is closed are passed over by a journal that
    /// isn't durable.
    package static let all = opening + appending + reading + snapshots + truncating + reopening

    /// Runs the check on stores that `open` makes: every time the same one again, empty at first.
    @MainActor package func run(
        _ open: @escaping @Sendable () async throws(JournalError) -> any JournalStore
    ) async throws {
        let bench = try await JournalBench(open)
        if bench.journal.isDurable || !durable { try await body(bench) }
        await bench.close()
    }
}
