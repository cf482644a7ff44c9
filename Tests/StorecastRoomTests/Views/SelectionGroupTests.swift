import Testing

@testable import StorecastRoom

struct SelectionGroupTests {
    @Test func `patches from many versions are kept within the limit of the history`() throws {
        let key = GroupKey(selection: "log", parameters: AnyHashable(0), viewer: nil)
        let source = JSONSource()
        let group = try SelectionGroup(
            key: key, sub: 1, tag: "t", source: source, version: 0, historyBytes: 4000)
        var lines: [JSON] = (0..<1000).map { .int($0) }
        for version in 1...50 as ClosedRange<UInt64> {
            lines.append(.int(Int64(version)))
            group.update(try #require(source.become(.array(lines))), at: version)
        }
        for version in 1...49 as ClosedRange<UInt64> {
            let first = try group.message(from: version)
            #expect(first.json["from"]?.uint64 == version)
            #expect(first.json["ops"]?.array?.count == Int(50 - version))
            #expect((1...4000).contains(group.keptPatchBytes))
            #expect(try group.message(from: version).frameSize == first.frameSize)
        }
        group.update(try #require(source.become([])), at: 51)
        #expect(group.keptPatchBytes == 0)
    }
}

/// A value that a test sets.
private final class JSONSource: ValueSource {
    private var value: JSON = []

    func become(_ new: JSON) -> ValueChange? {
        defer { value = new }
        return ValueChange(
            .diff(from: value, to: new), growth: new.encodedSize - value.encodedSize)
    }

    func write(to writer: inout JSONWriter) { writer.write(value) }
}
