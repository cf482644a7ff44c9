import StorecastSync
import Testing

struct FNV1aTests {
    /// From the test vectors of draft-eastlake-fnv.
    @Test(
        arguments: [
            ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C),
            ("foobar", 0x8594_4171_F739_67E8),
        ] as [(String, UInt64)])
    func `it is FNV-1a`(_ text: String, _ expected: UInt64) {
        var hash = FNV1a()
        Array(text.utf8).withUnsafeBytes { hash.add($0) }
        #expect(hash.value == expected)
        #expect(FNV1a(of: text).value == expected)
    }

    @Test func `texts that run into each other aren't alike`() {
        var (left, right) = (FNV1a(), FNV1a())
        for text in ["ab", "c"] { left.add(text) }
        for text in ["a", "bc"] { right.add(text) }
        #expect(left != right)
    }
}
