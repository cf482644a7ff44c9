/// A subscription that can be ended.
public protocol ReduxDisposable {
    /// Whether the subscription has ended: its subscriber will not be called again.
    var disposed: Bool { get }

    /// Ends the subscription, at once, even in a round of notifications; the second time it does
    /// nothing.
    func dispose()
}
