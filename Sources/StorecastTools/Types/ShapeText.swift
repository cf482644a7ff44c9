import StorecastSync

/// Shapes as TypeScript.
enum ShapeText {
    /// Names that the types of an application can't have.
    static let reserved: Set = [
        "Array", "Record", "Object", "String", "Number", "Boolean", "Date", "Map", "Set", "Promise",
        "Error", "Function", "Symbol", "Partial", "Readonly", "Pick", "Omit",
    ]

    /// What declares that a type has a shape.
    static func declaration(of name: String, _ shape: Shape) -> String {
        shape.isObject
            ? "export interface \(name) \(text(shape))\n"
            : "export type \(name) = \(text(shape));\n"
    }

    static func text(_ shape: Shape, indent: String = "") -> String {
        switch shape {
        case .null: "null"
        case .boolean: "boolean"
        case .number: "number"
        case .string: "string"
        case .literal(let text): text
        case .array(let element): array(element, indent)
        case .tuple(let elements):
            "readonly [\(elements.map { text($0, indent: indent) }.joined(separator: ", "))]"
        case .dictionary(let value): "{ readonly [name: string]: \(text(value, indent: indent)) }"
        case .object(let members): object(members, indent)
        case .named(let name): name
        case .union(let shapes): shapes.map { text($0, indent: indent) }.joined(separator: " | ")
        case .unknown(let reason): "unknown /* \(reason.replacing("*/", with: "* /")) */"
        }
    }

    private static func array(_ element: Shape, _ indent: String) -> String {
        let text = text(element, indent: indent)
        if case .union = element { return "readonly (\(text))[]" }
        if case .tuple = element { return "readonly (\(text))[]" }
        return "readonly \(text)[]"
    }

    static func object(_ members: [Shape.Member], _ indent: String) -> String {
        guard !members.isEmpty else { return "{}" }
        let lines = members.map { member in
            let mark = member.isOptional ? "?" : ""
            let value = text(member.shape, indent: indent + "  ")
            return "\(indent)  readonly \(name(member.name))\(mark): \(value);\n"
        }
        return "{\n\(lines.joined())\(indent)}"
    }

    /// A member's name, in quotes if it isn't an identifier.
    static func name(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || byte == UInt8(ascii: "_")
        }
        return isPlain && !text.isEmpty ? text : JSON.string(text).description
    }
}
