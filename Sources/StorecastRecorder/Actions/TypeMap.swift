/// Action types by the names that they have in recordings.
public typealias TypeMap = [String: any StandardActionConvertible.Type]

extension TypeMap {
    /// The types by their ``StandardActionConvertible/type``. No two may have one name.
    public init(_ types: any StandardActionConvertible.Type...) {
        self.init(uniqueKeysWithValues: types.map { ($0.type, $0) })
    }

    /// The action that `action` stands for: itself if it isn't a typed one.
    func typed(_ action: StandardAction) throws(LoadingProblem.Reason) -> any Action {
        guard action.isTypedAction else { return action }
        guard let type = self[action.type] else { throw .unknownType }
        do {
            return try type.init(action)
        } catch {
            throw .unreadable(JSONCoding.message(for: error))
        }
    }
}
