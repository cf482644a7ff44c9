import ArgumentParser

/// A command that prints lines.
protocol PrintingCommand: ParsableCommand {
    /// Runs it, with what takes the lines.
    func run(writingTo write: (String) -> Void) throws
}

extension PrintingCommand {
    func run() throws { try run(writingTo: StandardOutput.write) }
}
