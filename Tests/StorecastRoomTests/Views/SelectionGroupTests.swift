import Testing

@testable import StorecastRoom

struct SelectionGroupTests {
    @Test func `patches from many versions are kept within the limit of the history`() {
        let key = GroupKey(selection: "log", parameters: AnyHashable(0), viewer: nil)
        let group = SelectionGroup(
            key: key, sub: 1, tag: "t", value: [], version: 0, historyBytes: 4000)
        var lines: [JSON] = (0..<1000).map { .int($0) }
        for version in 1...50 as ClosedRange<UInt64> {
            lines.append(.int(Int64(version)))
            group.update(.array(lines), at: version)
        }
        for version in 1...49 as ClosedRange<UInt64> {
            let first = group.message(from: version)
            #expect(first.json["from"]?.uint64 == version)
            #expect(first.json["ops"]?.array?.count == Int(50 - version))
            #expect((1...4000).contains(group.keptPatchBytes))
            #expect(group.message(from: version).frameSize == first.frameSize)
        }
        group.update([], at: 51)
        #expect(group.keptPatchBytes == 0)
    }
}
