/// Where a store keeps its state: a place that a reducer can change without taking the state out.
///
/// A class of its own rather than an optional property of the store, because each use of an
/// optional of a type that isn't known at compile time costs a metadata lookup.
final class StateBox<State> {
    var value: State

    init(_ value: State) {
        self.value = value
    }
}
