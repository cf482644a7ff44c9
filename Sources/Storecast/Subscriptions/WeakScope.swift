/// The list of a scope, remembered while it exists.
struct WeakScope {
    weak var list: (any EntryOwner)?
}
