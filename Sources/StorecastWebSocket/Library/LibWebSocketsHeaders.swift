import CLibWebSockets

/// Reads the headers of the request or answer that libwebsockets holds, by copying: some of its
/// pointers are null where one doesn't expect it.
struct LibWebSocketsHeaders {
    let wsi: OpaquePointer

    /// Nil if the header is absent. Several lines of one header are joined by the library.
    subscript(token: lws_token_indexes) -> String? {
        withBytes(of: token) { String(decoding: $0, as: UTF8.self) }
    }

    /// The decoded path that comes with the token of a method; empty if it isn't UTF-8, so that
    /// what only resembles a name is none.
    func path(of method: lws_token_indexes) -> String? {
        withBytes(of: method) { String(validating: $0, as: UTF8.self) ?? "" }
    }

    private func withBytes<Result>(
        of token: lws_token_indexes, _ use: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        let length = lws_hdr_total_length(wsi, token)
        guard length > 0 else { return nil }
        // Room for the end mark and for the separators of a header with several lines.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(length) + 64) { buffer in
            let copied = lws_hdr_copy(wsi, buffer.baseAddress, Int32(buffer.count), token)
            guard copied >= 0 else { return nil }
            return use(
                UnsafeRawBufferPointer(
                    rebasing: UnsafeRawBufferPointer(buffer)[..<Int(copied)]))
        }
    }

    /// What follows the question mark: the library keeps its parts apart.
    var query: String {
        var parts: [String] = []
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            while true {
                let copied = lws_hdr_copy_fragment(
                    wsi, buffer.baseAddress, Int32(buffer.count), WSI_TOKEN_HTTP_URI_ARGS,
                    Int32(parts.count))
                guard copied >= 0 else { return }
                parts.append(
                    String(
                        decoding: UnsafeRawBufferPointer(
                            rebasing: UnsafeRawBufferPointer(buffer)[..<Int(copied)]),
                        as: UTF8.self))
            }
        }
        return parts.joined(separator: "&")
    }

    /// A header that the library has no number for; `name` in lower case.
    subscript(custom name: String) -> String? {
        let key = name + ":"
        return key.withCString { key -> String? in
            let keyLength = Int32(name.utf8.count + 1)
            let length = lws_hdr_custom_length(wsi, key, keyLength)
            guard length > 0 else { return nil }
            return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(length) + 1) {
                let copied = lws_hdr_custom_copy(
                    wsi, $0.baseAddress, Int32($0.count), key, keyLength)
                guard copied >= 0 else { return nil }
                return String(
                    decoding: UnsafeRawBufferPointer(
                        rebasing: UnsafeRawBufferPointer($0)[..<Int(length)]), as: UTF8.self)
            }
        }
    }

    /// The items of a header that is a list (RFC 9110 section 5.6.1).
    func list(_ token: lws_token_indexes) -> [String] {
        guard let value = self[token] else { return [] }
        return value.split(separator: ",").map { item in
            String(item.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
        }.filter { !$0.isEmpty }
    }
}
