import Testing

@testable import StorecastRoom

struct SelectionGroupTests {
    @Test func `patches from many versions are kept within the limit of the history`() throws {
        let key = GroupKey(selection: "log", parameters: AnyHashable(0), viewer: nil)
        let source = JSONSource()
        let group = try SelectionGroup(
            key: key, sub: 1, tag: "t", source: source, version: 0, historyBytes: 4000,
            recent: RecentSnapshots(limit: 0))
        var lines: [JSON] = (0..<1000).map { .int($0) }
        for version in 1...50 as ClosedRange<UInt64> {
            lines.append(.int(Int64(version)))
            group.update(try #require(source.become(.array(lines))), at: version)
        }
        for version in 1...49 as ClosedRange<UInt64> {
            let first = try group.permitted.message(from: version)
            #expect(first.json["from"]?.uint64 == version)
            #expect(first.json["ops"]?.array?.count == Int(50 - version))
            #expect((1...4000).contains(group.patchBytes))
            #expect(try group.permitted.message(from: version).frameSize == first.frameSize)
        }
        group.update(try #require(source.become([])), at: 51)
        #expect(group.patchBytes == 0)
    }
}

extension SelectionGroupTests {
    @Test func `the newest snapshots are kept within a limit, and one that is larger alone`() throws
    {
        let recent = RecentSnapshots(limit: 1000)
        func group(_ number: UInt64, _ size: Int) throws -> (SelectionGroup, JSONSource) {
            let source = JSONSource()
            _ = source.become(.string(String(repeating: "x", count: size)))
            let group = try SelectionGroup(
                key: GroupKey(selection: "log", parameters: AnyHashable(number), viewer: nil),
                sub: number, tag: "t", source: source, version: 0, historyBytes: 4000,
                recent: recent)
            return (group, source)
        }
        let members = try (1...10).map { try group($0, 200) }
        // Three fit, of some 270 bytes each.
        for (group, _) in members.reversed() { _ = try group.permitted.message(from: nil) }
        #expect(members.map(\.1.writings) == [2, 2, 2, 2, 2, 2, 2, 1, 1, 1])
        for (group, _) in members[..<3] { _ = try group.permitted.message(from: nil) }
        #expect(members.map(\.1.writings) == [2, 2, 2, 2, 2, 2, 2, 1, 1, 1])
        let (large, source) = try group(11, 5000)
        for _ in 1...3 { _ = try large.permitted.message(from: nil) }
        #expect(source.writings == 1)
        _ = try members[0].0.permitted.message(from: nil)
        _ = try large.permitted.message(from: nil)
        #expect(members[0].1.writings == 3 && source.writings == 2)
        // A group that is gone isn't held.
        weak var gone: SelectionGroup?
        do {
            let member = try group(12, 10)
            gone = member.0
        }
        #expect(gone == nil)
    }

    /// Of a thousand who come while the value changes all the time, most are sent what the first
    /// were, and a patch behind it.
    @Test func `who comes while others are sent a value in parts shares it`() throws {
        let key = GroupKey(selection: "log", parameters: AnyHashable(0), viewer: nil)
        let source = JSONSource()
        var value: [JSON] = (0..<1000).map { .int($0) }
        _ = source.become(.array(value))
        let group = try SelectionGroup(
            key: key, sub: 1, tag: "t", source: source, version: 0, historyBytes: 100_000,
            recent: RecentSnapshots(limit: .max))
        let subscriptions = try (1...1000).map { version in
            value[version % 1000] = .int(Int64(version))
            value.append(.null)
            group.update(try #require(source.become(.array(value))), at: UInt64(version))
            let subscription = ServerSubscription(of: Nobody(), try group.permitted)
            #expect(try subscription.beginParts(above: 100))
            return subscription
        }
        // The patches have some forty bytes each: after a few hundred, the next encoding is due.
        #expect((3...20).contains(source.writings))
        for subscription in subscriptions {
            while subscription.nextPart(500) != nil {}
            let message = try #require(try subscription.nextMessage()).json
            #expect(["current", "patch", "snapshot"].contains(message.op))
            #expect(message.v == 1000)
        }
    }
}

private final class Nobody: SelectionSubscriber {
    let identity = Identity.anonymous

    func caughtUp() {}
    func skipped(to version: UInt64) {}
    func queue(_ subscription: ServerSubscription) {}
    func lapse(_ subscription: ServerSubscription, _ code: String) {}
}

/// A value that a test sets.
private final class JSONSource: ValueSource {
    private var value: JSON = []
    /// How often it was written.
    private(set) var writings = 0

    func become(_ new: JSON) -> ValueChange? {
        defer { value = new }
        return ValueChange(
            .diff(from: value, to: new), growth: new.encodedSize - value.encodedSize)
    }

    func write(to writer: inout JSONWriter) {
        writings += 1
        writer.write(value)
    }
}

extension SelectionGroup {
    /// The group, by a rule that lets everybody have it.
    fileprivate var permitted: Permitted<SelectionGroup> {
        get throws { try Permitted(to: .anonymous, by: Rule<Int, Int>.open, 0, in: 0) { self } }
    }
}
