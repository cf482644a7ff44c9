import StorecastSync

extension Mirror {
    /// Whether the server keeps it up to date on the connection that there is now.
    package var isLive: Bool { sub != nil && isAnswered && failure == nil }
}
