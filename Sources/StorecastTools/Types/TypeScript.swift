package import ArgumentParser
import StorecastRoom
import StorecastSync

/// TypeScript declarations of a room, for the JavaScript client's `connect<…>()`.
struct TypeScript {
    private let finder: ShapeFinder
    private let vocabulary: RoomVocabulary
    private let name: String

    /// - Parameter name: what the room's own declaration is called.
    init(_ room: any RoomDefinitionProtocol, name: String) {
        vocabulary = RoomVocabulary(of: room)
        self.name = name
        finder = ShapeFinder(reserved: [name, "Json"])
    }

    /// The declarations, a file's text.
    var text: String {
        let selections = vocabulary.selections.map { selection in
            let parameters = selection.parameters.map {
                "params: \(Self.typeText(finder.shape(of: $0))); "
            }
            let value = Self.typeText(finder.shape(of: selection.value))
            return "    \(Self.key(selection.name)): { \(parameters ?? "")value: \(value) };\n"
        }
        let actions = vocabulary.actions.map { action in
            // An action without members is dispatched without a payload.
            let isEmpty = finder.members(of: action)?.isEmpty == true
            let payload = isEmpty ? "undefined" : Self.typeText(finder.shape(of: action))
            return "    \(Self.key(action.wireName)): \(payload);\n"
        }
        let state = Self.typeText(finder.shape(of: vocabulary.state))
        return """
            // Made by the command `types` from the server's Swift types: don't edit it, make it
            // anew.

            /** What the room shows and takes: `connect<\(name)>(url)`. */
            export interface \(name) {
              /** The whole state, of which clients see the selections. */
              state: \(state);
              selections: {
            \(selections.joined())  };
              actions: {
            \(actions.joined())  };
            }

            \(Self.text(finder))
            /** Any JSON value. */
            export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
            """
    }

    /// The declarations of all types that were met.
    static func text(_ finder: ShapeFinder) -> String {
        finder.declarations.map(declaration).joined(separator: "\n")
    }

    private static func declaration(_ name: String, _ shape: JSONShape) -> String {
        switch shape {
        case .object(let members, let gap):
            "export interface \(name) {\n"
                + members.map { "  \(member($0));\n" }.joined()
                + (gap.map { "  // \($0)\n" } ?? "") + "}\n"
        default: "export type \(name) = \(typeText(shape));\n"
        }
    }

    private static func member(_ member: JSONShape.Member) -> String {
        "\(key(member.name))\(member.isOptional ? "?" : ""): \(typeText(member.shape))"
    }

    private static func typeText(_ shape: JSONShape) -> String {
        switch shape {
        case .any: "Json"
        case .boolean: "boolean"
        case .number: "number"
        case .string: "string"
        case .constants(let values): values.map(\.description).joined(separator: " | ")
        case .array(let element): elementText(element) + "[]"
        case .dictionary(let value): "{ [name: string]: \(typeText(value)) }"
        case .object(let members, _):
            members.isEmpty ? "{}" : "{ " + members.map(member).joined(separator: "; ") + " }"
        case .union(let shapes): shapes.map(typeText).joined(separator: " | ")
        case .nullable(let shape): "\(typeText(shape)) | null"
        case .named(let name): name
        case .unknown(let reason): "unknown /* \(reason) */"
        }
    }

    private static func elementText(_ shape: JSONShape) -> String {
        switch shape {
        case .union, .constants, .nullable, .unknown: "(\(typeText(shape)))"
        default: typeText(shape)
        }
    }

    /// A name as it may stand in front of a colon.
    private static func key(_ name: String) -> String {
        let isIdentifier =
            name.first?.isNumber == false
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
                    true
                default: false
                }
            }
        return isIdentifier ? name : JSON.string(name).description
    }
}

/// `storecast types`
package struct TypesCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "types",
        abstract: "Write TypeScript declarations of a room.",
        discussion: """
            For the JavaScript client: with them, an editor knows the room's selections, their \
            parameters and values, and its actions.

              storecast types > board.ts

            and then, in TypeScript or in JavaScript with JSDoc:

              import type { Room } from "./board.js";
              const board = connect<Room>("wss://example.org/");

            They are found out by decoding the Swift types as from a client's JSON. What can't be \
            found out so is `unknown`. Enumerations have to be CaseIterable; for one with associated \
            values, declare its CodingKeys as CaseIterable.
            """)

    @Option(help: ArgumentHelp("The room's path.", valueName: "path"))
    var room = "/"

    @Option(help: ArgumentHelp("What the room's declaration is called.", valueName: "name"))
    var name = "Room"

    package init() {}

    package func run() throws {
        guard let definition = try KnownRooms.current.definition(room, nil) else {
            throw CommandFailure(
                .trouble, "There is no room at '\(room)'. Say --room with the path of one.")
        }
        StandardOutput.write(TypeScript(definition, name: name).text)
    }
}
