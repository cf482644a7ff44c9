extension SubscriptionList {
    /// The list for the part of the state at `path`: the same one as long as somebody holds it or
    /// subscribes to it.
    ///
    /// It takes part in this list's rounds, so that subscribers to all scopes are notified in the
    /// order of subscription. Whoever holds it must hold this list too.
    func scope<Part>(_ path: KeyPath<State, Part>) -> SubscriptionList<Part> {
        if let list = scopes[path]?.list as? SubscriptionList<Part> { return list }
        let list = SubscriptionList<Part>(round: round)
        list.link = ScopeLink(
            attach: { [unowned self, unowned list] in attach(list, at: path) },
            detach: { [unowned self] in detachScope(at: path) },
            deliver: { [unowned self] in deliverRest() },
            // Weak: both lists may be released together.
            forget: { [weak self] in self?.scopes[path] = nil })
        scopes[path] = WeakScope(list: list)
        return list
    }

    private func attach<Part>(_ list: SubscriptionList<Part>, at path: KeyPath<State, Part>) {
        _ = node(for: path, use: .scope) {
            ScopeNode<State, Part>(list) { $0[keyPath: path] }
        }
    }

    private func detachScope(at path: AnyKeyPath) {
        guard let node = sharedNodes[SelectionKey(path: path, use: .scope)] else { return }
        removeNode(node)
    }
}

/// How the list of a scope is connected to the list of the state around it.
///
/// It is attached only while it has subscribers, so a scope without any costs nothing.
struct ScopeLink {
    /// Called when the first subscriber has come.
    let attach: () -> Void
    /// Called when the last one has left.
    let detach: () -> Void
    /// Goes on with the store's round of notifications.
    let deliver: () -> Void
    /// Called when nobody holds the list any more.
    let forget: () -> Void
}

/// The list of a scope, as long as it exists.
struct WeakScope {
    weak var list: (any EntryOwner)?
}

/// A part of the state that has a list of subscribers of its own.
///
/// If the part is Equatable and hasn't changed, nothing is evaluated for any of them.
private final class ScopeNode<Root, Part>: SelectionNode<Root> {
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

    /// The operator `==` of `Part`, whose conformance is only known at run time.
    private static func equality<Value: Equatable>(
        of _: Value.Type
    ) -> ((Part, Part) -> Bool)? {
        let areEqual: (Value, Value) -> Bool = { $0 == $1 }
        return areEqual as? (Part, Part) -> Bool
    }
}
