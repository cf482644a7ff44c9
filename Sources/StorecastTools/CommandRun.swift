package import ArgumentParser
import StorecastRoom

/// A program's one command.
package enum CommandRun {
    /// Runs it; a ``CommandFailure`` decides the exit status, which ArgumentParser's own `main`
    /// doesn't let it.
    package static func run(_ root: any ParsableCommand.Type) async {
        do {
            var command = try root.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error where error is CommandFailure || error is JournalError {
            let failure = CommandFailure(error)
            StandardError.write("Error: \(failure)")
            Process.exit(failure.status)
        } catch {
            root.exit(withError: error)
        }
    }
}
