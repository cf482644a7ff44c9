import StorecastSync
import Testing

@testable import StorecastMirror

struct MirrorTests {
    let mirror = Mirror(selection: "s", parameters: nil)

    private func at(_ version: UInt64, _ epoch: String = "e") -> Position {
        Position(epoch: epoch, version: version)
    }

    private func operations(_ text: String) throws -> JSONView { try JSONDocument(text).root }

    @Test func `it takes a snapshot, then patches that fit exactly`() throws {
        mirror.take([1], at: at(3))
        #expect(
            mirror.apply(
                try operations(#"[{"op":"add","path":"/-","value":2}]"#), from: 3, to: at(5)))
        #expect(mirror.value == [1, 2])
        #expect(mirror.position == at(5))
    }

    @Test(
        arguments: [
            (#"[{"op":"add","path":"/-","value":2}]"#, 2, "e"),
            (#"[{"op":"add","path":"/-","value":2}]"#, 4, "e"),
            (#"[{"op":"add","path":"/-","value":2}]"#, 3, "other"),
            (#"[{"op":"remove","path":"/7"}]"#, 3, "e"),
            (#"[{"op":"nonsense"}]"#, 3, "e"),
            (#"7"#, 3, "e"),
        ] as [(String, UInt64, String)])
    func `a patch that doesn't fit is refused`(_ text: String, _ from: UInt64, _ epoch: String)
        throws
    {
        mirror.take([1], at: at(3))
        #expect(!mirror.apply(try operations(text), from: from, to: at(5, epoch)))
        #expect(mirror.position == at(3))
    }

    /// Another server may have the value since an older version than the one that it came with.
    @Test func `the first patch of a connection may start from an older version`() throws {
        mirror.subscribed(sub: 1, tag: "t")
        mirror.take([1], at: at(16))
        mirror.subscribes(as: 2)
        mirror.subscribed(sub: 1, tag: "t")
        let patch = try operations(#"[{"op":"add","path":"/-","value":2}]"#)
        #expect(mirror.apply(patch, from: 12, to: at(17)))
        #expect(mirror.value == [1, 2])
        #expect(!mirror.apply(patch, from: 12, to: at(18)), "The next one may not.")
    }

    @Test func `without a value there is nothing to confirm, patch or resume`() throws {
        #expect(mirror.resumePoint == nil)
        #expect(!mirror.confirm(at(1)))
        #expect(!mirror.apply(try operations("[]"), from: 0, to: at(1)))
        mirror.advance(to: at(9))
        #expect(mirror.position == nil)
    }

    @Test func `it resumes at the last version at which it knows the value`() {
        mirror.subscribed(sub: 1, tag: "t")
        mirror.take([1], at: at(3))
        mirror.advance(to: at(9))
        #expect(mirror.position == at(9))
        #expect(mirror.resumePoint == ResumePoint(position: at(9), tag: "t"))
    }

    @Test(arguments: [(2, false), (3, true), (7, true), (9, true), (10, false)])
    func `a patch may start from any version that has the value`(_ from: UInt64, _ fits: Bool)
        throws
    {
        mirror.take([1], at: at(3))
        mirror.advance(to: at(9))
        let add = try operations(#"[{"op":"add","path":"/-","value":2}]"#)
        #expect(mirror.apply(add, from: from, to: at(12)) == fits)
        #expect(mirror.value == (fits ? [1, 2] : [1]))
    }

    @Test func `a mirror that waits for its answer doesn't move with the others`() {
        mirror.take([1], at: at(3))
        mirror.subscribes(as: 2)
        mirror.advance(to: at(9))
        #expect(mirror.position == at(3))
    }

    @Test func `its position never goes back within a history`() {
        mirror.take([1], at: at(3))
        mirror.advance(to: at(9))
        #expect(mirror.confirm(at(3)))
        #expect(mirror.position == at(9))
        mirror.take([1], at: at(4))
        #expect(mirror.position == at(9))
        mirror.take([1], at: at(4, "new"))
        #expect(mirror.position == at(4, "new"))
    }

    @Test func `another tag means another value`() {
        mirror.subscribed(sub: 1, tag: "t")
        mirror.take([1], at: at(3))
        mirror.subscribed(sub: 2, tag: "t")
        #expect(mirror.value == [1])
        mirror.subscribed(sub: 2, tag: "u")
        #expect(mirror.value == nil)
    }

    /// A position as an epoch of one letter and a version.
    private func position(_ text: String?) -> Position? {
        text.map { at(UInt64($0.dropFirst()) ?? 0, String($0.prefix(1))) }
    }

    @Test(
        arguments: [
            (nil, nil, false), (nil, "e4", true), ("e4", nil, false),
            ("e4", "e3", false), ("e4", "e4", true), ("e4", "e5", true),
            ("e4", "f3", true), ("e4", "f4", true), ("e4", "f5", true),
        ] as [(String?, String?, Bool)])
    func `the value of another mirror of the subscription is taken unless it is older`(
        _ known: String?, _ offered: String?, _ isTaken: Bool
    ) throws {
        let other = Mirror(selection: "s", parameters: 1)
        if let known = position(known) { mirror.take(["own"], at: known) }
        if let offered = position(offered) { other.take(["other"], at: offered) }
        mirror.adopt(other)
        #expect(mirror.value == (isTaken ? ["other"] : known.map { _ in ["own"] }))
        #expect(mirror.position == position(isTaken ? offered : known))
        // The next patch is one to that value.
        guard let start = mirror.position else { return }
        let add = try operations(#"[{"op":"add","path":"/-","value":1}]"#)
        let end = at(start.version + 2, start.epoch)
        #expect(!mirror.apply(add, from: start.version + 1, to: end))
        #expect(mirror.apply(add, from: start.version, to: end))
        #expect(mirror.value?.array?.last == 1)
    }

    @Test func `a value known for later versions is older only than what changed after them`() {
        let other = Mirror(selection: "s", parameters: 1)
        mirror.take(["own"], at: at(4))
        mirror.advance(to: at(9))
        other.take(["other"], at: at(8))
        mirror.adopt(other)
        #expect(mirror.value == ["own"])
        #expect(mirror.position == at(9))
        other.take(["other"], at: at(10))
        mirror.adopt(other)
        #expect(mirror.value == ["other"])
        #expect(mirror.position == at(10))
    }

    @Test func `without its value a mirror takes whatever another has`() {
        let other = Mirror(selection: "s", parameters: 1)
        mirror.take(["own"], at: at(4))
        // Another tag: the value that is there isn't the selection's any more.
        mirror.subscribed(sub: 1, tag: "new")
        other.take(["other"], at: at(3))
        mirror.adopt(other)
        #expect(mirror.value == ["other"])
        #expect(mirror.position == at(3))
    }

    @Test func `a value deeper than messages to a server may be is patched all the same`() throws {
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        mirror.take(try JSON(parsing: deep, limits: .trusted), at: at(1))
        let path = String(repeating: "/0", count: 99)
        #expect(
            mirror.apply(
                try operations(#"[{"op":"add","path":"\#(path)/-","value":1}]"#), from: 1,
                to: at(2)))
    }
}
