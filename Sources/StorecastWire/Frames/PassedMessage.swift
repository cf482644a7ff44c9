/// A message of one client among those that an edge passes on to a room's owner, or of the owner
/// for that client: the edge's number for the client, a space, and the frame. The number alone says
/// that the client has gone.
package struct PassedMessage {
    package let number: UInt64
    /// Nil if the client has gone. It is a part of the message that was read.
    package let frame: UnsafeRawBufferPointer?

    /// Nil unless it begins with a number of at most 15 digits, behind which is a space or nothing.
    package init?(reading message: UnsafeRawBufferPointer) {
        var number: UInt64 = 0
        var place = 0
        while place < message.count, (0x30...0x39).contains(message[place]) {
            guard place < 15 else { return nil }
            number = number * 10 + UInt64(message[place] & 0x0F)
            place += 1
        }
        guard place > 0 else { return nil }
        self.number = number
        if place == message.count {
            frame = nil
        } else if message[place] == UInt8(ascii: " ") {
            frame = UnsafeRawBufferPointer(rebasing: message[(place + 1)...])
        } else {
            return nil
        }
    }

    /// The bytes of a message: of a frame, or that the client has gone.
    package static func bytes(_ number: UInt64, _ frame: [UInt8]?) -> [UInt8] {
        let digits = Array("\(number)".utf8)
        guard let frame else { return digits }
        return digits + [UInt8(ascii: " ")] + frame
    }
}
