/// A store as its scopes see it: without the type of its state.
protocol ScopeRoot: AnyObject, DispatchingStoreType {
    var dispatchFunction: DispatchFunction! { get }
    var automaticallySkipsRepeats: Bool { get }
    func prepareForSubscription()
    func requireSameThread()
    func batch<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
}
