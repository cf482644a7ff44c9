import CLibWebSockets

/// Signatures with Ed25519 (RFC 8032).
package struct Ed25519: ~Copyable {
    private let key: OpaquePointer

    /// - Parameter seed: the private key, 32 bytes; nil is returned for anything else.
    package init?(seed: [UInt8]) {
        guard seed.count == 32,
            let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        else { return nil }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// 32 bytes.
    package var publicKey: [UInt8] {
        var (bytes, count) = ([UInt8](repeating: 0, count: 32), 32)
        EVP_PKEY_get_raw_public_key(key, &bytes, &count)
        return bytes
    }

    /// 64 bytes; nil if there is no memory.
    package func sign(_ message: [UInt8]) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var (signature, count) = ([UInt8](repeating: 0, count: 64), 64)
        guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == 64
        else { return nil }
        return signature
    }
}
