import Foundation
import Testing

/// A disk that fails at any one operation of a run, once or until it is put right.
///
/// At every fourth operation; `STORECAST_FAULTS=all` has it fail at each.
@MainActor struct DiskFaultTests {
    private static let isWhole = ProcessInfo.processInfo.environment["STORECAST_FAULTS"] == "all"
    private static let batches: [UInt64] = [1, 2, 30, 1]

    @Test(.timeLimit(.minutes(10)), arguments: DiskFault.allCases, [true, false])
    func `a fault at any operation loses and repeats nothing, and it goes on when it ends`(
        _ fault: DiskFault, lasting: Bool
    ) async throws {
        var number =
            Self.isWhole ? 0 : DiskFault.allCases.firstIndex(of: fault)! + (lasting ? 0 : 1)
        // Until the run is over before the fault.
        while try await FaultyRun(fault, lasting, at: number).isHit(Self.batches) {
            number += Self.isWhole ? 1 : 4
        }
        #expect(number > 60, "The run is worth it.")
    }
}
