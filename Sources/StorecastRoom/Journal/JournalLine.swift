import StorecastWire

/// One line of a room's journal as JSON Lines: what `storecast journal export` writes and `import`
/// reads.
///
/// ```json
/// {"journal":"storecast","format":1,"room":"/boards/lobby","epoch":"c0ffee…"}
/// {"offset":1,"time":1763726400.5,"sender":{"id":"ada","roles":["admin"]},"client":"6f1d…","seq":1,"base":0,"settled":0,"seed":"7","schema":1,"actions":[{"type":"AddCard","payload":{"text":"Hi"}}]}
/// {"offset":2,"time":1763726401,"sender":{"id":""},"client":"…","seq":1,"base":1,"settled":0,"seed":"8","schema":1,"actions":[],"rejection":{"code":"forbidden","title":"Admins only."}}
/// {"offset":2,"version":1,"snapshot":{"format":1,…}}
/// ```
/// The first line is the header; offsets rise from entry to entry. A snapshot stands behind the
/// entry whose offset it has; one that stands before every entry is where the history begins. The
/// seed is a string, because not every program reads integers of 64 bits exactly (RFC 7493, section
/// 2.2). The client ids in it are secrets as long as the clients are in use.
package enum JournalLine: Equatable, Sendable {
    /// The room, and the epoch of its history.
    case header(room: String, epoch: String)
    case entry(offset: UInt64, JournalRecord)
    case snapshot(JournalSnapshot)

    /// The version of the format.
    static var format: Int { 1 }
    static var name: StaticString { "storecast" }
}

extension JournalLine {
    /// The line in UTF-8, with its end. Throws if what it holds isn't JSON.
    package func bytes() throws(JSONError) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        switch self {
        case .header(let room, let epoch):
            writer.member("journal", "\(Self.name)")
            writer.member("format", Self.format)
            writer.member("room", room)
            writer.member("epoch", epoch)
        case .entry(let offset, let record):
            writer.member("offset", offset)
            try record.writeMembers(to: &writer)
        case .snapshot(let snapshot):
            writer.member("offset", snapshot.offset)
            writer.member("version", snapshot.version)
            writer.write(key: "snapshot")
            try writer.writeOnOneLine(snapshot.content)
        }
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}

extension JournalLine {
    /// Reads a line, without its end. Members that it doesn't know are passed over.
    ///
    /// Throws a sentence that says what is wrong with the line.
    package init(_ text: ArraySlice<UInt8>) throws(JournalLineError) {
        let line: JSONView
        do throws(JSONError) {
            line = try JSONDocument(text, limits: .trusted).root
        } catch {
            throw JournalLineError(error.message)
        }
        if line["journal"] != nil {
            self = try Self.header(line)
        } else if let content = line["snapshot"] {
            self = .snapshot(
                JournalSnapshot(
                    offset: try line.number("offset"), version: try line.number("version"),
                    content: content.withBytes { Array($0) }))
        } else {
            self = .entry(
                offset: try line.number("offset", from: 1), try JournalRecord(line: line))
        }
    }

    private static func header(_ line: JSONView) throws(JournalLineError) -> JournalLine {
        guard line["journal"]?.isString(name) == true else {
            throw JournalLineError("This isn't a journal of storecast.")
        }
        guard line["format"]?.int == format else {
            throw JournalLineError("The format isn't \(format), the only one that this reads.")
        }
        return .header(room: try line.text("room"), epoch: try line.text("epoch"))
    }
}

/// What is wrong with a line of a journal's text, as a sentence.
package struct JournalLineError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
