public import StorecastSync

/// Declarations in TypeScript of what a room takes and shows, for programs in JavaScript.
///
/// With them an editor checks what a program selects and dispatches:
///
/// ```swift
/// let text = TypeScriptDeclarations(of: Board.room, named: "BoardRoom").text
/// ```
/// ```ts
/// import type { BoardRoom } from "./board";
/// const board = connect<BoardRoom>("wss://example.org/");
/// ```
/// They are worked out by letting the types read made-up values. What can't be known so, such as
/// enums with associated values, is `unknown`, with a comment that says why.
public struct TypeScriptDeclarations: Sendable {
    /// The whole file.
    public let text: String

    /// Works the declarations out.
    ///
    /// - Parameters:
    ///   - room: the room's definition.
    ///   - name: what the interface is called that the program gives to `connect`.
    public init(of room: any RoomDefinitionProtocol, named name: String) {
        let types = room.erased.types
        let reader = ShapeReader(besides: name)
        let selections = types.selections.sorted { $0.key < $1.key }.map { selection in
            Shape.Member(
                name: selection.key, shape: Self.selection(selection.value, reader),
                isOptional: false)
        }
        let actions = types.actions.sorted { $0.key < $1.key }.map { action in
            Shape.Member(
                name: action.key, shape: Self.payload(action.value, reader), isOptional: false)
        }
        let room = Shape.object([
            Shape.Member(name: "selections", shape: .object(selections), isOptional: false),
            Shape.Member(name: "actions", shape: .object(actions), isOptional: false),
        ])
        var text = "// Written by `storecast types`: don't change it, write it anew.\n\n"
        text += ShapeText.declaration(of: name, room)
        for (name, shape) in reader.types {
            text += "\n" + ShapeText.declaration(of: name, shape)
        }
        self.text = text
    }

    private static func selection(
        _ types: (parameters: any (Codable & Sendable).Type, value: any (Codable & Sendable).Type),
        _ reader: ShapeReader
    ) -> Shape {
        var members: [Shape.Member] = []
        if types.parameters != NoParameters.self {
            let parameters = reader.shape(of: types.parameters)
            members.append(Shape.Member(name: "params", shape: parameters, isOptional: false))
        }
        let value = reader.shape(of: types.value)
        return .object(members + [Shape.Member(name: "value", shape: value, isOptional: false)])
    }

    /// An action without members has no payload.
    private static func payload(_ type: any SyncAction.Type, _ reader: ShapeReader) -> Shape {
        reader.shape(of: type)
    }
}
