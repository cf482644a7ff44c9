import StorecastRoom

extension JournalError {
    /// What it says to a person.
    var text: String {
        switch self {
        case .unavailable(let text), .unknownOutcome(let text), .replaced(let text),
            .unfit(_, let text),
            .damaged(let text):
            text
        case .truncated(let offset): "\(offset)"
        }
    }
}
