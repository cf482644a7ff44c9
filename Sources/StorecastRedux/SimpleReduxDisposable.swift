/// A disposable made of two functions: a way to wrap the one of another library.
public struct SimpleReduxDisposable: ReduxDisposable {
    private let isDisposed: () -> Bool
    private let end: () -> Void

    /// Makes a disposable.
    ///
    /// - Parameters:
    ///   - disposed: tells whether the subscription has ended.
    ///   - dispose: ends it.
    public init(disposed: @escaping () -> Bool, dispose: @escaping () -> Void) {
        isDisposed = disposed
        end = dispose
    }

    /// What the function given says.
    public var disposed: Bool { isDisposed() }

    /// Calls the function given.
    public func dispose() {
        end()
    }
}
