/// An action that can be saved as a ``StandardAction`` and made from one again.
///
/// A Codable action has nothing to write:
///
/// ```swift
/// struct Increase: StandardActionConvertible, Codable { var by = 1 }
/// ```
///
/// Its payload is what `Codable` makes of it. Implement the requirements yourself to save something
/// else; your implementations needn't throw.
public protocol StandardActionConvertible: Action, SendableMetatype {
    /// The name that saved actions have; defaults to the type's unqualified name.
    ///
    /// After renaming the type write the old name here, so that older recordings can be loaded.
    static var type: String { get }

    /// Makes the action that `standardAction` stands for.
    init(_ standardAction: StandardAction) throws

    /// The action as data, with ``type`` as its type and `isTypedAction` set.
    func toStandardAction() throws -> StandardAction
}

extension StandardActionConvertible {
    /// The type's unqualified name.
    public static var type: String { String(describing: Self.self) }
}

extension StandardActionConvertible where Self: Codable {
    /// Decodes the payload; one that is left out counts as `{}`.
    ///
    /// - Throws: what the type's `init(from:)` throws.
    public init(_ standardAction: StandardAction) throws {
        self = try JSONCoding.decode(from: standardAction.payload ?? .object(JSONObject()))
    }

    /// Encodes the action; one without members has no payload.
    ///
    /// - Throws: what the type's `encode(to:)` throws.
    public func toStandardAction() throws -> StandardAction {
        let payload = try JSONCoding.encodeTree(self)
        let isEmpty = payload.object?.isEmpty ?? false
        return StandardAction(
            type: Self.type, payload: isEmpty ? nil : payload, isTypedAction: true)
    }
}
