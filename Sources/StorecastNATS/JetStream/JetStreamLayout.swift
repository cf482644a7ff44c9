import StorecastSync

/// In which streams rooms are kept, and under which subjects.
package struct JetStreamLayout: Sendable {
    /// What all names begin with, so that several groups of servers share NATS: letters and digits.
    package var name: String
    package var streams: Int
    /// On how many servers everything is before it is acknowledged.
    package var replicas: Int
    /// The most bytes of a message, if NATS doesn't take fewer.
    package var mostBytes: Int

    package init(
        name: String = "storecast", streams: Int = 32, replicas: Int = 3, mostBytes: Int = 1 << 20
    ) {
        self.name = name
        self.streams = streams
        self.replicas = replicas
        self.mostBytes = mostBytes
    }

    func stream(_ number: Int) -> String { "\(name)-rooms-\(number)" }

    func subjects(_ number: Int) -> String { "\(name).rooms.\(number).*" }

    func stream(of room: String) -> String { stream(number(of: room)) }

    func subject(of room: String) -> String {
        "\(name).rooms.\(number(of: room)).\(Self.token(room))"
    }

    /// The room whose messages have this subject; nil if none has.
    func room(of subject: String) -> String? {
        guard let token = subject.utf8.split(separator: UInt8(ascii: ".")).last,
            let room = Self.text(of: token), self.subject(of: room).isSameText(as: subject)
        else { return nil }
        return room
    }

    private func number(of room: String) -> Int { Int(FNV1a(of: room).value % UInt64(streams)) }

    var snapshotStream: String { "\(name)-snapshots" }

    var snapshotSubjects: String { "\(name).snapshots.>" }

    /// All that is kept of a room's snapshots.
    func snapshots(of room: String) -> String { "\(name).snapshots.\(Self.token(room)).>" }

    /// The manifest of a room's snapshot at an offset, behind this.
    func manifests(of room: String) -> String { "\(name).snapshots.\(Self.token(room)).at." }

    func pieces(of room: String, _ id: String) -> String {
        "\(name).snapshots.\(Self.token(room)).of.\(id)"
    }

    /// Who has which room.
    var placeStream: String { "\(name)-places" }

    var placeSubjects: String { "\(name).places.*" }

    func place(of room: String) -> String { "\(name).places.\(Self.token(room))" }

    /// All that servers of a cluster make at NATS.
    var allStreams: [String] { [placeStream, snapshotStream] + (0..<streams).map { stream($0) } }

    /// A subject of which no stream has anything.
    var nothing: String { "\(name).nothing" }

    /// Where servers of a cluster show one another that they are there.
    var pulses: String { "\(name).pulses" }

    /// Where one of them is asked to give rooms away.
    func requests(to server: String) -> String { "\(name).requests.\(Self.token(server))" }

    /// A room's name as a part of a subject: what isn't a letter, a digit, `-`, `_` or `/` as `=`
    /// and two hexadecimal digits.
    private static func token(_ room: String) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in room.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "/"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text of which ``token(_:)`` makes this; nil or another text if there is none.
    private static func text(of token: some Sequence<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = token.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next(), let low = rest.next(),
                let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
