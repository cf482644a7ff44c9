/// Counts WebSocket text frames in a stream of bytes by reading their headers (RFC 6455, section
/// 5.2; a server's frames are unmasked), in pieces of any size.
package struct FrameCounter {
    package private(set) var frames = 0
    package private(set) var bytes = 0
    /// The payload bytes that are still to come of the frame that has begun.
    private var payload = 0
    /// The bytes that are still to come of a header that has begun; 0 between frames.
    private var header = 0
    private var length = 0
    private var opcode: UInt8 = 0

    package mutating func add(_ piece: UnsafeRawBufferPointer) {
        bytes += piece.count
        var index = 0
        while index < piece.count {
            if payload > 0 {
                let step = min(payload, piece.count - index)
                payload -= step
                index += step
                if payload == 0 { finish() }
            } else {
                addToHeader(piece[index])
                index += 1
            }
        }
    }

    private mutating func addToHeader(_ byte: UInt8) {
        switch header {
        case 0:
            opcode = byte & 0x0F
            header = -1
            return
        case -1:
            length = Int(byte & 0x7F)
            header = length == 127 ? 8 : length == 126 ? 2 : 0
            if header > 0 { length = 0 }
        default:
            length = length << 8 | Int(byte)
            header -= 1
        }
        guard header == 0 else { return }
        payload = length
        if payload == 0 { finish() }
    }

    private mutating func finish() {
        if opcode == 1 { frames += 1 }
    }
}
