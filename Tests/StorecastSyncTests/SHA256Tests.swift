import Testing

@testable import StorecastSync

struct SHA256Tests {
    /// The examples that NIST gives for FIPS 180-4, and the empty message.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `a digest is that of the standard`(message: String, digest: String) {
        #expect(SHA256.hexadecimalDigest(of: message.utf8) == digest)
    }

    /// By Python: base32hex of the digest of "0123456789abcdef/7/0", its first 26 digits.
    @Test func `an action's id is the beginning of a digest`() {
        #expect(stampID(client: "0123456789abcdef", seq: 7) == "u15uirdbujhp2dogsf30a1qs8u")
    }
}
