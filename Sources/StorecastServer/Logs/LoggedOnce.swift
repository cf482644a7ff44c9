import Logging
import StorecastSync

/// What a loop has logged of those whom it didn't let in: each once, and no more than a hundred, so
/// that nobody fills a disk with them.
struct LoggedOnce {
    static let most = 100
    private var notices: Set<ExactString> = []

    /// How severe the next notice with this key is: one that was logged before, or is beyond the
    /// bound, is only for debugging.
    mutating func level(of key: String) -> Logger.Level {
        guard notices.count < Self.most else { return .debug }
        return notices.insert(ExactString(key)).inserted ? .notice : .debug
    }
}
