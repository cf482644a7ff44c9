import StorecastWire

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

    init(_ description: String) {
        self.description = description
    }
}

extension JournalRecord {
    fileprivate init(line: JSONView) throws(JournalLineError) {
        guard let time = line["time"]?.double else {
            throw JournalLineError("The member 'time' isn't a number of seconds since 1970.")
        }
        guard let seed = line["seed"]?.string.flatMap(UInt64.init) else {
            throw JournalLineError("The member 'seed' isn't a string of digits.")
        }
        guard let schema = line["schema"]?.int, schema > 0 else {
            throw JournalLineError("The member 'schema' isn't a number from 1.")
        }
        self.init(
            client: try line.text("client"), seq: try line.number("seq", from: 1),
            base: try line.number("base"), settled: try line.number("settled"),
            sender: try Self.sender(line), time: Timestamp(secondsSince1970: time), seed: seed,
            actions: try Self.actions(line), rejection: try Self.rejection(line),
            refused: try Self.refused(line), schema: schema)
    }

    private static func sender(_ line: JSONView) throws(JournalLineError) -> Identity {
        guard let sender = line["sender"], let id = sender["id"]?.string else {
            throw JournalLineError("The member 'sender' lacks an id.")
        }
        return Identity(id, roles: Set(sender["roles"]?.elements.compactMap(\.string) ?? []))
    }

    private static func actions(
        _ line: JSONView
    ) throws(JournalLineError) -> [RecordedAction] {
        guard let list = line["actions"], list.isArray else {
            throw JournalLineError("The member 'actions' isn't an array.")
        }
        var actions: [RecordedAction] = []
        for action in list.elements {
            let payload = action["payload"]?.withBytes { Array($0) }
            actions.append(
                RecordedAction(type: try action.text("type"), payload: payload ?? Array("{}".utf8)))
        }
        return actions
    }

    private static func rejection(_ line: JSONView) throws(JournalLineError) -> Rejection? {
        guard let member = line["rejection"] else { return nil }
        guard let rejection = Rejection(member) else {
            throw JournalLineError("The member 'rejection' lacks code or title.")
        }
        return rejection
    }

    private static func refused(_ line: JSONView) throws(JournalLineError) -> RefusedAction? {
        guard let member = line["refused"] else { return nil }
        guard let refused = RefusedAction(member) else {
            throw JournalLineError("The member 'refused' lacks type, payload or bytes.")
        }
        return refused
    }
}

extension JSONView {
    fileprivate func text(_ key: StaticString) throws(JournalLineError) -> String {
        guard let text = self[key]?.string else {
            throw JournalLineError("The member '\(key)' isn't a string.")
        }
        return text
    }

    fileprivate func number(
        _ key: StaticString, from lowest: UInt64 = 0
    ) throws(JournalLineError) -> UInt64 {
        let range = lowest...ProtocolVersion.largestInteger
        guard let number = self[key]?.uint64, range.contains(number) else {
            throw JournalLineError(
                "The member '\(key)' isn't a whole number from \(lowest) to 2^53-1.")
        }
        return number
    }
}
