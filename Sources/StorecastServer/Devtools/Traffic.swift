import StorecastWire

/// How much went through connections, in one direction.
struct Traffic: Codable, Equatable, Sendable {
    var messages: UInt64 = 0
    var bytes: UInt64 = 0

    mutating func count(_ size: Int) {
        messages &+= 1
        bytes &+= UInt64(size)
    }

    mutating func count(_ messages: [ServerMessage]) {
        for message in messages { count(message.frameSize) }
    }

    static func += (total: inout Traffic, part: Traffic) {
        total.messages &+= part.messages
        total.bytes &+= part.bytes
    }
}

/// What a connection received from its client, and sent to it.
struct LinkTraffic: Codable, Equatable, Sendable {
    var received = Traffic()
    var sent = Traffic()

    static func += (total: inout LinkTraffic, part: LinkTraffic) {
        total.received += part.received
        total.sent += part.sent
    }
}
