/// An action as data: a type's name and a payload that is JSON.
///
/// It is what a typed action becomes when it is saved (see ``StandardActionConvertible``), and can
/// be dispatched itself where no type is wanted.
public struct StandardAction: Action, Hashable, Sendable {
    /// What kind of action it is.
    public let type: String
    /// What the action carries; nil if nothing.
    public let payload: JSON?
    /// Whether it stands for an action of a Swift type, which a ``TypeMap`` finds by ``type``.
    public let isTypedAction: Bool

    /// Makes an action.
    public init(type: String, payload: JSON? = nil, isTypedAction: Bool = false) {
        self.type = type
        self.payload = payload
        self.isTypedAction = isTypedAction
    }
}
