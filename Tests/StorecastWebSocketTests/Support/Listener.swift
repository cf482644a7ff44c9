import Glibc

/// A server made of bare sockets, for a client that is to be answered badly.
final class Listener {
    let port: Int
    let descriptor: Int32
    private var connection: Int32 = -1

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard result else { throw RawPeer.Failure(what: "listen", code: errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        close(descriptor)
        if connection >= 0 { close(connection) }
    }

    func accept() throws {
        connection = Glibc.accept(descriptor, nil, nil)
        guard connection >= 0 else { throw RawPeer.Failure(what: "accept", code: errno) }
    }

    /// Reads the request and gives its `Sec-WebSocket-Key`.
    func readKey() throws -> String {
        var request: [UInt8] = []
        while !request.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)) {
            var byte: UInt8 = 0
            guard recv(connection, &byte, 1, 0) == 1 else {
                throw RawPeer.Failure(what: "receive", code: errno)
            }
            request.append(byte)
        }
        for line in String(decoding: request, as: UTF8.self).split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == "sec-websocket-key" {
                return String(parts[1].drop { $0 == " " })
            }
        }
        throw RawPeer.Failure(what: "find the key", code: 0)
    }

    func send(text: String) throws {
        let bytes = Array(text.utf8)
        let count = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else { throw RawPeer.Failure(what: "send", code: errno) }
    }

    /// The answer to a key (RFC 6455 section 4.2.2): base64 of SHA-1 of the key and a constant.
    static func accept(_ key: String) -> String {
        let digest = sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: 18, by: 3) {
            let bits = digest[start..<(start + 3)].reduce(0) { $0 << 8 | Int($1) }
            for shift in [18, 12, 6, 0] { text.append(alphabet[bits >> shift & 63]) }
        }
        let rest = Int(digest[18]) << 16 | Int(digest[19]) << 8
        for shift in [18, 12, 6] { text.append(alphabet[rest >> shift & 63]) }
        return text + "="
    }

    /// FIPS 180-4 section 6.1.
    private static func sha1(_ message: [UInt8]) -> [UInt8] {
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        withUnsafeBytes(of: UInt64(message.count * 8).bigEndian) { padded += Array($0) }
        var h: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        func turn(_ word: UInt32, _ count: UInt32) -> UInt32 {
            word << count | word >> (32 - count)
        }
        for block in stride(from: 0, to: padded.count, by: 64) {
            var w = (0..<16).map { index in
                padded[(block + index * 4)..<(block + index * 4 + 4)].reduce(UInt32(0)) {
                    $0 << 8 | UInt32($1)
                }
            }
            for t in 16..<80 { w.append(turn(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1)) }
            var (a, b, c, d, e) = (h[0], h[1], h[2], h[3], h[4])
            for t in 0..<80 {
                let (f, k): (UInt32, UInt32) =
                    switch t / 20 {
                    case 0: (b & c | ~b & d, 0x5A82_7999)
                    case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                    case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                (a, b, c, d, e) = (turn(a, 5) &+ f &+ e &+ k &+ w[t], a, turn(b, 30), c, d)
            }
            for (index, value) in [a, b, c, d, e].enumerated() { h[index] &+= value }
        }
        return h.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }
}
