package import ArgumentParser
package import StorecastRoom

/// Why a command failed: a sentence that says what to do.
package struct CommandFailure: Error, CustomStringConvertible {
    /// The exit status.
    package enum Status: Int32 {
        /// The server said no, or what was checked is wrong.
        case refused = 1
        /// The connection, a file or the input is no good.
        case trouble = 2
    }

    package let status: Status
    package let description: String

    package init(_ status: Status, _ description: String) {
        self.status = status
        self.description = description
    }
}

extension CommandFailure {
    /// The failure that an error means for a command.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as JournalError: self.init(error)
        default: self.init(.trouble, "\(error)")
        }
    }

    package init(_ error: JournalError) {
        switch error {
        case .unavailable(let problem), .damaged(let problem), .unfit(_, let problem),
            .replaced(let problem), .unknownOutcome(let problem):
            self.init(.trouble, problem)
        default: self.init(.trouble, "The journal can't be read: \(error)")
        }
    }
}

extension CommandFailure {
    /// Runs `body`, and translates errors of a journal.
    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as JournalError {
            throw CommandFailure(error)
        }
    }
}

/// Running the command that a program's arguments name.
package enum CommandRun {
    /// Runs it. A ``CommandFailure`` decides the exit status; with ArgumentParser's own `main` it
    /// couldn't.
    ///
    /// - Parameter completing: makes the arguments that are parsed from those that were given.
    package static func run(
        _ root: any ParsableCommand.Type,
        completing: ([String]) async throws -> [String] = { $0 }
    ) async {
        do {
            let given = Array(CommandLine.arguments.dropFirst())
            var command = try root.parseAsRoot(try await completing(given))
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

/// A command that prints lines.
protocol PrintingCommand: ParsableCommand {
    /// Runs it; `write` takes each line.
    func run(writingTo write: (String) -> Void) throws
}

extension PrintingCommand {
    func run() throws { try run(writingTo: StandardOutput.write) }
}
