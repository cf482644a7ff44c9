import Testing

@testable import StorecastRoom

struct PatchHistoryTests {
    private func patch(_ text: String) -> JSONPatch {
        JSONPatch([.add(path: JSONPointer(["list", "-"]), value: .string(text))])
    }

    private func texts(_ operations: [[UInt8]]?) -> [String]? {
        operations?.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `patches since a version are found in order`() {
        var history = PatchHistory(limit: 1000)
        history.append(patch("a"), from: 2, snapshotSize: 1000)
        history.append(patch("b"), from: 5, snapshotSize: 1000)
        history.append(patch("c"), from: 6, snapshotSize: 1000)
        let b = #"{"op":"add","path":"/list/-","value":"b"}"#
        let c = #"{"op":"add","path":"/list/-","value":"c"}"#
        #expect(texts(history.operations(since: 5, smallerThan: 1000)) == [b, c])
        #expect(history.operations(since: 2, smallerThan: 1000)?.count == 3)
        for unknown in [0, 1, 3, 4, 7] as [UInt64] {
            #expect(history.operations(since: unknown, smallerThan: 1000) == nil)
        }
    }

    @Test func `a version stands for the change before it, if that is kept`() {
        var history = PatchHistory(limit: 90)
        #expect(history.start(of: 3) == nil)
        for version in [2, 5, 6] as [UInt64] {
            history.append(patch("x"), from: version, snapshotSize: 1000)
        }
        // An operation takes 41 bytes: the first is forgotten.
        #expect(history.size == 82)
        #expect([4, 5, 6, 9].map { history.start(of: $0) } == [nil, 5, 6, 6])
    }

    @Test func `a version stands for none of which it isn't known that it had its value`() {
        var history = PatchHistory(limit: 1000)
        // Of several changes between 2 and 9, another server has told by one patch.
        history.append(patch("a"), from: 2, until: 4, snapshotSize: 1000)
        history.append(patch("b"), from: 9, snapshotSize: 1000)
        #expect([2, 4, 5, 8, 9].map { history.start(of: $0) } == [2, 2, nil, nil, 9])
    }

    @Test func `patches that are no shorter than the snapshot aren't given`() {
        var history = PatchHistory(limit: 1000)
        history.append(patch("a"), from: 0, snapshotSize: 1000)
        let size = #"{"op":"add","path":"/list/-","value":"a"}"#.utf8.count
        #expect(history.operations(since: 0, smallerThan: size) == nil)
        #expect(history.operations(since: 0, smallerThan: size + 1) != nil)
    }

    @Test func `no more is kept than the limit or a snapshot`() {
        var history = PatchHistory(limit: 200)
        for version in 0..<100 as Range<UInt64> {
            history.append(patch("\(version)"), from: version, snapshotSize: 1000)
        }
        // An operation takes 42 bytes.
        #expect(history.operations(since: 96, smallerThan: .max)?.count == 4)
        #expect(history.operations(since: 95, smallerThan: .max) == nil)
        history.append(patch("x"), from: 100, snapshotSize: 90)
        #expect(history.operations(since: 99, smallerThan: .max)?.count == 2)
        #expect(history.operations(since: 98, smallerThan: .max) == nil)
    }

    @Test func `a patch that is larger than the snapshot leaves no history`() {
        var history = PatchHistory(limit: 1000)
        history.append(patch("a"), from: 0, snapshotSize: 1000)
        history.append(patch("b"), from: 1, snapshotSize: 10)
        #expect(history.operations(since: 1, smallerThan: .max) == nil)
        history.append(patch("c"), from: 2, snapshotSize: 1000)
        #expect(history.operations(since: 2, smallerThan: .max)?.count == 1)
        // Nor does it lead over the value that was small.
        #expect(history.operations(since: 0, smallerThan: .max) == nil)
        #expect(history.start(of: 1) == nil)
    }
}
