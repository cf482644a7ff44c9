/// What to decide oneself of a simulation; the seed decides the rest.
public struct SimulationOptions: Sendable {
    /// How many things are done before the world comes to rest; nil for what the seed says.
    public var steps: Int?
    /// How many clients there are; nil for what the seed says, a few in most seeds and at times
    /// hundreds.
    public var clients: Int?

    /// Leaves everything to the seed.
    public init(steps: Int? = nil, clients: Int? = nil) {
        self.steps = steps
        self.clients = clients
    }
}
