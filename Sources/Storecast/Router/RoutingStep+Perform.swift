extension RoutingStep {
    /// Whether somebody becomes responsible for what is inside a new element.
    var hasChild: Bool {
        if case .pop = self { false } else { true }
    }

    /// Has a routable do the step; returns who is responsible inside the new element.
    func perform(on routable: any Routable, animated: Bool) async throws -> (any Routable)? {
        switch self {
        case .push(let element, _):
            return try await routable.push(element, animated: animated)
        case .pop(let element, _):
            try await routable.pop(element, animated: animated)
            return nil
        case .change(let old, let new, _):
            return try await routable.change(old, to: new, animated: animated)
        }
    }
}
