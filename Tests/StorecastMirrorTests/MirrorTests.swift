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
