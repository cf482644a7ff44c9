import Foundation
import TestSupport
import Testing

/// A disk that fails at any one operation of a run, once or until it is put right.
///
/// At every fourth operation, and at the first and the last of each kind; `TEST_FAULTS=all`
/// has it fail at each.
@MainActor @Suite(.oneAtATime) struct DiskFaultTests {
    private static let isWhole = ProcessInfo.processInfo.environment["TEST_FAULTS"] == "all"
    private static let batches: [UInt64] = [1, 2, 30, 1]

    @Test(.timeLimit(.minutes(30)), arguments: DiskFault.allCases, [true, false])
    func `a fault at any operation loses and repeats nothing, and it goes on when it ends`(
        _ fault: DiskFault, lasting: Bool
    ) async throws {
        let operations = try await FaultyRun.operations(Self.batches)
        #expect(operations.count > 60, "The run is worth it.")
        let offset = DiskFault.allCases.firstIndex(of: fault)! + (lasting ? 0 : 1)
        let kinds = Set(operations)
        let ends = kinds.flatMap { kind in
            [operations.firstIndex(of: kind), operations.lastIndex(of: kind)].compactMap(\.self)
        }
        var failures: Set<String> = []
        for number in operations.indices
        where Self.isWhole || number % 4 == offset % 4 || ends.contains(number) {
            let run = try FaultyRun(fault, lasting, at: number)
            #expect(try await run.isHit(Self.batches), "There is an operation \(number).")
            failures.formUnion(run.failures)
        }
        let expected = kinds.filter { fault.fails($0) }.union(fault.outcomes)
        #expect(failures.isSuperset(of: expected), "Some never failed so: \(failures)")
        #expect(kinds.isSuperset(of: ["write main", "write log", "sync main", "sync log"]))
    }
}

extension DiskFault {
    /// Whether it makes operations of a kind fail.
    fileprivate func fails(_ kind: String) -> Bool {
        self == .error || kind.hasPrefix("write")
    }

    /// What a journal says of batches in the face of it.
    fileprivate var outcomes: Set<String> {
        self == .error ? ["refused", "unknown outcome"] : ["refused"]
    }
}
