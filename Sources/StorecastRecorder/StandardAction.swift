/// An action as data: the name of a type, and a payload that is JSON.
///
/// A typed action becomes one when it is saved (see ``StandardActionConvertible``). It can also be
/// dispatched itself where no type is wanted.
public struct StandardAction: Action, Hashable, Sendable {
    /// What kind of action it is.
    public let type: String
    /// The data of the action; nil if there is none.
    public let payload: JSON?
    /// Whether it represents an action of a Swift type, which a ``TypeMap`` finds by ``type``.
    public let isTypedAction: Bool

    /// Creates an action.
    public init(type: String, payload: JSON? = nil, isTypedAction: Bool = false) {
        self.type = type
        self.payload = payload
        self.isTypedAction = isTypedAction
    }
}

extension StandardAction: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, payload, isTypedAction
    }

    /// Decodes an action; `isTypedAction` may be left out and is false then.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(String.self, forKey: .type)
        // Not decodeIfPresent, which returns nil for a payload of null.
        payload =
            container.contains(.payload)
            ? try container.decode(JSON.self, forKey: .payload) : nil
        isTypedAction = try container.decodeIfPresent(Bool.self, forKey: .isTypedAction) ?? false
    }

    /// Encodes the action; a payload of nil is left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encodeIfPresent(payload, forKey: .payload)
        try container.encode(isTypedAction, forKey: .isTypedAction)
    }
}

/// An action that can be saved as a ``StandardAction`` and created from one.
///
/// A Codable action needs no code for that:
///
/// ```swift
/// struct Increase: StandardActionConvertible, Codable { var by = 1 }
/// ```
///
/// Its payload is what `Codable` makes of it. Implement the requirements yourself to save something
/// else; your implementations needn't throw.
public protocol StandardActionConvertible: Action, SendableMetatype {
    /// The name that saved actions have; by default the type's unqualified name.
    ///
    /// If you rename the type, return the old name here, so that older recordings can be loaded.
    static var type: String { get }

    /// Creates the action that `standardAction` represents.
    init(_ standardAction: StandardAction) throws

    /// The action as data, with ``type`` as its type and `isTypedAction` set.
    func toStandardAction() throws -> StandardAction
}

extension StandardActionConvertible {
    /// The type's unqualified name.
    public static var type: String { String(describing: Self.self) }
}

extension StandardActionConvertible where Self: Codable {
    /// Decodes the payload; a missing payload counts as `{}`.
    ///
    /// - Throws: what the type's `init(from:)` throws.
    public init(_ standardAction: StandardAction) throws {
        self = try JSONCoding.decode(from: standardAction.payload ?? .object(JSONObject()))
    }

    /// Encodes the action; an action without members has no payload.
    ///
    /// - Throws: what the type's `encode(to:)` throws.
    public func toStandardAction() throws -> StandardAction {
        let payload = try JSONCoding.encodeTree(self)
        let isEmpty = payload.object?.isEmpty ?? false
        return StandardAction(
            type: Self.type, payload: isEmpty ? nil : payload, isTypedAction: true)
    }
}

/// Action types by the names that they have in recordings.
public typealias TypeMap = [String: any StandardActionConvertible.Type]

extension TypeMap {
    /// The types by their ``StandardActionConvertible/type``. No two may have the same name.
    public init(_ types: any StandardActionConvertible.Type...) {
        self.init(uniqueKeysWithValues: types.map { ($0.type, $0) })
    }

    /// The action that `action` represents: itself if it isn't a typed one.
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
