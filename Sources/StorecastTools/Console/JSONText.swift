package import StorecastSync

/// JSON that a person wrote.
package enum JSONText {
    /// A selection's parameters: JSON, or else the text itself as a string; but not what begins as
    /// an object, an array or a string and is none.
    package static func parameter(_ text: String) throws(CommandFailure) -> JSON {
        if let first = text.first(where: { !$0.isWhitespace }), "{[\"".contains(first) {
            return try parse(text, "The parameters")
        }
        return (try? JSON(parsing: text)) ?? .string(text)
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
                .trouble, "\(what) can't be read: \(error.sentence(in: Array(text.utf8)))")
        }
    }
}

extension JSON {
    /// The value as text for people: indented by two spaces; small arrays and objects of scalars
    /// on one line.
    package var prettyText: String {
        var text = ""
        write(to: &text, indent: "")
        return text
    }

    private static let lineWidth = 76

    private func write(to text: inout String, indent: String) {
        switch self {
        case .array(let elements) where !fits(indent):
            Self.write("[", "]", elements, to: &text, indent) { element, text, indent in
                element.write(to: &text, indent: indent)
            }
        case .object(let members) where !fits(indent):
            Self.write("{", "}", members, to: &text, indent) { member, text, indent in
                text += "\(JSON.string(member.key)): "
                member.value.write(to: &text, indent: indent)
            }
        default: text += spacedText
        }
    }

    private static func write<Parts: Sequence>(
        _ opening: String, _ closing: String, _ parts: Parts, to text: inout String,
        _ indent: String, _ write: (Parts.Element, inout String, String) -> Void
    ) {
        text += opening
        var isFirst = true
        for part in parts {
            text += isFirst ? "\n" : ",\n"
            isFirst = false
            text += indent + "  "
            write(part, &text, indent + "  ")
        }
        text += "\n" + indent + closing
    }

    private func fits(_ indent: String) -> Bool {
        let isFlat: Bool =
            switch self {
            case .array(let elements): elements.allSatisfy(\.isScalar)
            case .object(let members): members.allSatisfy(\.value.isScalar)
            default: true
            }
        return isFlat && indent.utf8.count + spacedText.utf8.count <= Self.lineWidth
    }

    private var isScalar: Bool {
        switch self {
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        default: true
        }
    }

    /// On one line, with spaces behind commas and colons.
    private var spacedText: String {
        switch self {
        case .array(let elements): "[" + elements.map(\.spacedText).joined(separator: ", ") + "]"
        case .object(let members):
            "{"
                + members.map { "\(JSON.string($0.key)): \($0.value.spacedText)" }
                .joined(separator: ", ") + "}"
        default: description
        }
    }
}
