import CZlib

/// Compresses what is sent often (RFC 1952), as small as it gets.
package enum Gzip {
    /// The bytes compressed; nil if that isn't worth it, as they would hardly be fewer, or if there
    /// is no memory for it. The same bytes always become the same. O(bytes), some 10 MB a second.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        // A few bytes fit into a packet anyway; zlib counts in 32 bits.
        guard (256..<(1 << 30)).contains(bytes.count) else { return nil }
        // It has to stay where it is.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard sc_gzip_begin(stream) == Z_OK else { return nil }
        defer { deflateEnd(stream) }
        var input = bytes
        // What takes more room than this isn't worth it.
        let room = bytes.count - bytes.count / 16
        let compressed = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            count = input.withUnsafeMutableBufferPointer { input in
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = UInt32(input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(room)
                guard deflate(stream, Z_FINISH) == Z_STREAM_END else { return 0 }
                return room - Int(stream.pointee.avail_out)
            }
        }
        return compressed.isEmpty ? nil : compressed
    }
}
