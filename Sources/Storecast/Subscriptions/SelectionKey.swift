/// What makes two subscribers share an evaluation: equal key paths, and the same use of the value.
struct SelectionKey: Hashable {
    enum Use {
        /// Offered after every change of the state.
        case always
        /// Offered when it isn't what it was.
        case withoutRepeats
        /// Handed to the subscribers of a scope.
        case scope
    }

    let path: AnyKeyPath
    let use: Use
}
