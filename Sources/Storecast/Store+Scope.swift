extension Store: ScopeRoot {}

extension Store {
    /// A store of a part of the state, for code that needs to know no more of it.
    ///
    /// O(1). Any number of scopes may be made by equal key paths: they share their subscribers.
    public func scope<Part>(_ path: KeyPath<State, Part>) -> ScopedStore<Part> {
        ScopedStore<Part>(root: self, parent: self, subscriptions: subscriptions.scope(path)) {
            self.box.map { $0.value[keyPath: path] }
        }
    }
}
