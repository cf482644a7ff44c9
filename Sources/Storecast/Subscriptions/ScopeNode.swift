/// A part of the state that has a list of subscribers of its own.
///
/// If the part is Equatable and hasn't changed, nothing is evaluated for any of them.
final class ScopeNode<Root, Part>: SelectionNode<Root> {
    private let list: SubscriptionList<Part>
    private let select: (Root) -> Part
    private let areEqual: ((Part, Part) -> Bool)?
    /// The last evaluation; kept only if it can be compared.
    private var last: Reading<Part>?

    init(_ list: SubscriptionList<Part>, select: @escaping (Root) -> Part) {
        self.list = list
        self.select = select
        areEqual = (Part.self as? any Equatable.Type).flatMap { Self.equality(of: $0) }
    }

    override func evaluate(_ root: Root, version: UInt64) -> Bool {
        let part = select(root)
        if let areEqual {
            if let last, areEqual(last.value, part) { return false }
            last = Reading(part, version: version)
        }
        return list.evaluate(part)
    }

    override func collect(into due: inout [Entry]) {
        list.collectDirty(into: &due)
    }

    override func releaseState() {
        list.releaseState()
    }

    override func settle() {
        list.settle()
    }

    /// The operator `==`, found at run time, as a function of what `Part` turns out to be.
    private static func equality<Value: Equatable>(
        of _: Value.Type
    ) -> ((Part, Part) -> Bool)? {
        let areEqual: (Value, Value) -> Bool = { $0 == $1 }
        return areEqual as? (Part, Part) -> Bool
    }
}
