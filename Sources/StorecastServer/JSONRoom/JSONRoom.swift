public import StorecastSync

/// A room without a schema: its state is one JSON document that every client may change.
///
/// For people who want live state without writing Swift. The actions are ``SetValue`` (`set`),
/// ``MergeValue`` (`merge`), ``IncrementValue`` (`increment`), ``AppendValue`` (`append`) and
/// ``RemoveValue`` (`remove`), each at a JSON Pointer (RFC 6901) `path`; the selection is ``value``.
/// A path that can't be followed is a rejection that says where it ends.
public enum JSONRoom {
    /// The longest document, in bytes of its compact text: what a message may have.
    public static let longestDocument = 1 << 20
    /// How deep arrays and objects may be nested in the document: few enough levels that it can
    /// be read inside a frame by a client with the usual limits.
    public static let deepestDocument = 56

    /// The value at the parameter's path, `{"path": "/a/b"}`; null while there is none.
    public static let value = Selection("value") { (document: SharedDocument, place: JSONPlace) in
        (try? place.path.pointer.resolve(in: document.value)) ?? .null
    }

    /// A room whose document starts as `initial`, which should keep to the limits above.
    public static func definition(initial: JSON) -> RoomDefinition<SharedDocument> {
        let room = RoomDefinition(
            state: SharedDocument(initial), actions: actions, selections: [value],
            reducer: { document, action in
                guard let edit = action as? any JSONEdit else { return }
                document.apply(edit)
            })
        return actions.reduce(room) { room, type in room.checking(type) }
    }

    static let actions: [any JSONEdit.Type] = [
        SetValue.self, MergeValue.self, IncrementValue.self, AppendValue.self, RemoveValue.self,
    ]
}

extension RoomDefinition<SharedDocument> {
    fileprivate func checking<Edit: JSONEdit>(_ type: Edit.Type) -> Self {
        validate(type) { document, edit, _ in try edit.check(document) }
    }
}
