public import StorecastSync

extension Rejection.Code {
    /// The file of a connection's cache can't be removed.
    public static let cacheUnwritable = Self("cache-unwritable")
}
