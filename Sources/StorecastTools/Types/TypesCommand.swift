package import ArgumentParser
import StorecastRoom

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

            They are found out by having the Swift types read something, as they would read a \
            client's JSON. What can't be found out so is `unknown`.
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
