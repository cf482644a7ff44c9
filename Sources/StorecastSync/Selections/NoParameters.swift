/// The parameters of a selection that has none; on the wire, no `params` at all.
public struct NoParameters: Hashable, Codable, Sendable {
    /// The only value.
    public init() {}
}
