package import StorecastSync

/// JSON that a person wrote.
package enum JSONText {
    /// A selection's parameters: JSON, or else the text itself as a string.
    package static func parameter(_ text: String) -> JSON {
        (try? JSON(parsing: text)) ?? .string(text)
    }

    /// An action's payload.
    package static func payload(_ text: String) throws(CommandFailure) -> JSON {
        try parse(text, "The payload")
    }

    /// A JSON text; what is wrong with it is said by line and column.
    package static func parse(
        _ text: String, _ what: String, limits: JSONLimits = JSONLimits()
    ) throws(CommandFailure) -> JSON {
        do throws(JSONError) {
            return try JSON(parsing: text, limits: limits)
        } catch {
            throw CommandFailure(
                .trouble, "\(what) can't be read: \(sentence(error, in: Array(text.utf8)))")
        }
    }

    /// What is wrong with a text, by line and column where it has several lines.
    package static func sentence(_ error: JSONError, in text: [UInt8]) -> String {
        guard error.reason != .size else { return error.message }
        let before = text.prefix(error.offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // Columns are counted in characters, as editors do.
        let column = String(decoding: before[start...], as: UTF8.self).count + 1
        let place = "line \(line), column \(column)"
        return switch error.reason {
        case .syntax where error.offset >= text.count: "at \(place) the JSON is not complete."
        case .syntax: "at \(place) there is something that isn't JSON."
        case .depth: "at \(place) it is nested too deeply."
        case .utf8: "at \(place) it isn't UTF-8."
        case .number: "at \(place) there is a number that is malformed, too long or too large."
        case .duplicateKey: "at \(place) an object has a second member of the same name."
        case .escape: "at \(place) there is an escape that isn't one of JSON's."
        case .control: "at \(place) there is a control character in a string: escape it."
        case .size: error.message
        }
    }
}
