extension Scenario {
    /// The scenario with as little as can be of which `fails` is true still, as it is of this one.
    func shrunk(_ fails: (Scenario) -> Bool) -> Scenario {
        var shortest = self
        var budget = 400
        func attempt(_ shorter: Scenario) -> Bool {
            guard budget > 0 else { return false }
            budget -= 1
            guard fails(shorter) else { return false }
            shortest = shorter
            return true
        }
        for client in 0..<min(clients, 100) {
            var shorter = shortest
            shorter.steps.removeAll { $0.deed.client == client }
            if shorter.steps.count < shortest.steps.count { _ = attempt(shorter) }
        }
        for simplify in Self.simplifications {
            var simpler = shortest
            simplify(&simpler)
            _ = attempt(simpler)
        }
        var size = max(1, shortest.steps.count / 2)
        while size >= 1, budget > 0 {
            var start = 0
            while start < shortest.steps.count {
                var shorter = shortest
                shorter.steps.removeSubrange(start..<min(start + size, shorter.steps.count))
                if !attempt(shorter) { start += size }
            }
            size /= 2
        }
        return shortest
    }

    private static let simplifications: [@Sendable (inout Scenario) -> Void] = [
        { $0.weather = .calm },
        { $0.journalDelay = .zero },
        { $0.turn = .zero },
        { $0.checking = .zero },
        { $0.letterDelay = .zero },
        { $0.loops = 1 },
    ]
}
