import StorecastSync
import Testing

struct IdentityTests {
    /// Each differs from all others, some only in the bytes of a text that Swift's `==` takes for
    /// the same.
    private static let identities = [
        Identity(""), Identity("ada"), Identity("Ada"), Identity("\u{e9}"), Identity("e\u{301}"),
        Identity("", roles: ["editor"]), Identity("ada", roles: [""]),
        Identity("ada", roles: ["editor"]), Identity("ada", roles: ["owner"]),
        Identity("ada", roles: ["editor", "owner"]), Identity("ada", roles: ["editor", "reader"]),
        Identity("ada", roles: ["\u{e9}"]), Identity("ada", roles: ["e\u{301}"]),
        Identity("ada", roles: ["editor", "\u{e9}"]),
        Identity("ada", roles: ["editor", "e\u{301}"]),
    ]

    @Test func `two are equal if ids and roles are, byte by byte`() {
        for (place, left) in Self.identities.enumerated() {
            for (other, right) in Self.identities.enumerated() {
                #expect((left == right) == (place == other), "\(left) \(right)")
            }
        }
        #expect(Set(Self.identities).count == Self.identities.count)
    }

    @Test func `it is the same until whenever it holds`() {
        let (early, late) = (Timestamp(secondsSince1970: 1), Timestamp(secondsSince1970: 2))
        #expect(Identity("ada", expires: early) == Identity("ada", expires: late))
        #expect(Set([Identity("ada"), Identity("ada", expires: early)]).count == 1)
    }

    @Test func `roles have no order`() {
        let roles = (0..<20).map { "role \($0)" }
        let (left, right) = (Identity("ada", roles: Set(roles)), Identity("ada", roles: []))
        #expect(left != right)
        let turned = roles.reversed().reduce(into: right) { $0.roles.insert($1) }
        #expect(left == turned)
        #expect(left.hashValue == turned.hashValue)
    }
}
