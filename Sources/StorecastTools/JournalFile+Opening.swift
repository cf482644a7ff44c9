import StorecastSQLite
import StorecastRoom

extension JournalFile {
    /// The file that a command was given.
    static func opened(_ path: String) throws(CommandFailure) -> JournalFile {
        do throws(JournalError) {
            return try JournalFile(path)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    /// What an error says, as why a command ends.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as JournalError: self.init(error)
        default: self.init(.trouble, "\(error)")
        }
    }

    init(_ error: JournalError) {
        switch error {
        case .unavailable(let problem), .damaged(let problem), .unfit(_, let problem):
            self.init(.trouble, problem)
        default: self.init(.trouble, "The journal can't be read: \(error)")
        }
    }
}
