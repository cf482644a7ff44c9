public import ArgumentParser
import StorecastSync

/// `storecast types`: declarations of a room, for programs in TypeScript and JavaScript.
///
/// A program with rooms of its own has the same command for them, as ``JournalCommand`` says.
public struct TypesCommand: ParsableCommand {
    /// How the command presents itself.
    public static let configuration = CommandConfiguration(
        commandName: "types",
        abstract: "Write TypeScript declarations of a room's actions and selections.",
        discussion: """
            Written to standard output, for a file beside a program that uses the JavaScript client:

              storecast types > board.d.ts

            There, `connect<Room>(url)` lets an editor check what is selected and dispatched. What \
            can't be known from the Swift types, such as an enum with associated values, is \
            `unknown`, and a comment says why.
            """)

    @Option(help: ArgumentHelp("The path of the room.", valueName: "path"))
    var room = "/"

    @Option(help: ArgumentHelp("What the room's interface is called.", valueName: "name"))
    var name = "Room"

    /// What ArgumentParser makes before it reads arguments.
    public init() {}

    /// Checks that the name can be one.
    public func validate() throws {
        let isName = name.wholeMatch(of: /[A-Za-z_$][A-Za-z0-9_$]*/) != nil
        if !isName { throw ValidationError("'\(name)' can't be the name of an interface.") }
    }

    /// Writes the declarations.
    public func run() throws {
        guard let definition = JournalCommand.rooms(room) else {
            throw CommandFailure(.trouble, "There is no room at '\(room)'.")
        }
        for line in TypeScriptDeclarations(of: definition, named: name).text.split(
            separator: "\n", omittingEmptySubsequences: false
        ).dropLast() {
            StandardOutput.write(String(line))
        }
    }

    /// Runs the command with the program's arguments, and ends the program if it fails.
    ///
    /// - Parameter rooms: the rooms of which there may be declarations.
    public static func main(rooms: @escaping JournalCommand.Rooms) async {
        await JournalCommand.$rooms.withValue(rooms) { await CommandRun.run(TypesCommand.self) }
    }
}
