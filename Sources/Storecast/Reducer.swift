/// A pure function from an action and the state before it to the state after it.
///
/// The state is nil once, for the first action of a store that was made without one. A reducer must
/// not dispatch, and its result depends on nothing but its arguments.
///
/// The caller keeps the old state alive while a reducer of this form runs, so the first change to
/// a collection in it copies that collection. ``InPlaceReducer`` has no such cost.
public typealias Reducer<State> = (_ action: any Action, _ state: State?) -> State

/// A reducer that changes the state where it lies.
///
/// Nothing else holds the state while it runs, so appending to an array of the state is O(1),
/// unless a subscription remembers that very array. It must not dispatch, nor read the store's
/// `state`.
public typealias InPlaceReducer<State> = (_ state: inout State, _ action: any Action) -> Void
