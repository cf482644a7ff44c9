/// One selection of the root state with everyone who subscribes to it; it is evaluated once for all
/// of them. The value's type is known to the subclass only.
class SelectionNode<Root>: Node {
    /// Evaluates the selection; returns whether its members have to be looked at.
    func evaluate(_ root: Root, version: UInt64) -> Bool {
        preconditionFailure("ValueNode overrides this")
    }

    /// Offers the value for `root` to an entry that has just joined.
    func start(_ entry: Entry, root: Root, version: UInt64) {
        preconditionFailure("ValueNode overrides this")
    }
}
