/// Something that takes actions, seen without its state.
///
/// Use it where code only needs to dispatch.
public protocol DispatchingStoreType {
    /// Sends an action through the middleware to the reducer.
    func dispatch(_ action: any Action)
}
