public import Storecast

/// An action that crosses the wire.
///
/// On the wire and in the journal it is `{"type": wireName, "payload": {…}}`, the payload as the
/// type's `Codable` conformance writes it. An action without members has no payload.
///
/// One in a module that server and clients share needs a written `public init`: the initializer
/// that Swift makes of a struct's members is the module's own.
public protocol SyncAction: Action, Codable, Sendable {
    /// The action's name on the wire and in the journal.
    ///
    /// Defaults to the type's unqualified name. After renaming the type, write the old name here:
    /// clients and journals go on using it.
    static var wireName: String { get }
}

extension SyncAction {
    /// The type's unqualified name.
    public static var wireName: String {
        // What `String(describing:)` says too, in a thirtieth of the time; every dispatch asks.
        _typeName(Self.self, qualified: false)
    }

    /// Stands for the initializer that other modules don't see, for the compiler to say what to do.
    @available(
        *, unavailable,
        message: "Write its initializer in the action's own module: public init() {}"
    )
    // It needs a body, which never runs: the compiler refuses every call.
    public init() { fatalError("Unavailable.") }
}
