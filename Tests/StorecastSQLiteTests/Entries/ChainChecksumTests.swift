@testable import StorecastSQLite
import Testing

struct ChainChecksumTests {
    @Test func `every member of a row counts`() throws {
        let row = EntryRow(
            client: "c", seq: 1, base: 2, settled: 3, sender: "s", roles: [1], time: 4, seed: 5,
            schema: 6, type: "t", payload: [2], more: [3], rejection: [4])
        let changes: [(inout EntryRow) -> Void] = [
            { $0.client = "d" }, { $0.seq = 9 }, { $0.base = 9 }, { $0.settled = 9 },
            { $0.sender = "" }, { $0.roles = nil }, { $0.time = 4.5 }, { $0.seed = 9 },
            { $0.schema = 9 }, { $0.type = nil }, { $0.payload = nil }, { $0.more = nil },
            { $0.rejection = nil }, { $0.rejection = [] },
        ]
        let checksums = changes.map { change in
            var changed = row
            change(&changed)
            return changed.checksum(at: 7, after: 8)
        }
        let others = [
            row.checksum(at: 7, after: 8), row.checksum(at: 8, after: 8),
            row.checksum(at: 7, after: 9),
        ]
        #expect(Set(checksums + others).count == changes.count + others.count)
    }
}
