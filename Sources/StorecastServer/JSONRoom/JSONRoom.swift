public import StorecastSync

/// A room without a schema: its state is one JSON document that every client may change.
///
/// For people who want live state without writing Swift. The actions are ``SetValue`` (`set`),
/// ``MergeValue`` (`merge`), ``IncrementValue`` (`increment`), ``AppendValue`` (`append`) and
/// ``RemoveValue`` (`remove`), each at a JSON Pointer (RFC 6901) `path`; the selection is
/// ``value``. A path that can't be followed is a rejection that says where it ends.
public enum JSONRoom {
    /// The longest document, in bytes of its compact text, unless the room says otherwise; 1 MiB.
    public static let longestDocument = 1 << 20
    /// How deep arrays and objects may be nested in the document: few enough levels that it can
    /// be read inside a frame by a client with the usual limits.
    public static let deepestDocument = 56

    /// The value at the parameter's path, `{"path": "/a/b"}`; null while there is none.
    public static let value = Selection("value") { (document: SharedDocument, place: JSONPlace) in
        (try? place.path.pointer.resolve(in: document.value)) ?? .null
    }

    /// A room whose document starts as `initial`.
    ///
    /// - Parameters:
    ///   - initial: the document at version 0, nested no deeper than ``deepestDocument``.
    ///   - bytes: how many bytes of compact text the document may have; an edit that would make it
    ///     longer is rejected. May be another one whenever a server starts: the log keeps with
    ///     each edit what it was. No more than `SyncLimits.valueBytes`, or nobody can be sent the
    ///     whole document. A server needs a few times as much memory.
    public static func definition(
        initial: JSON, bytes: Int = longestDocument
    ) -> RoomDefinition<SharedDocument> {
        let room = actions.reduce(definition(initial)) { $0.checking($1) }
        guard bytes != longestDocument else { return room }
        return room.onOpen { store in
            store.middleware.append { _, _ in
                { next in
                    { action in
                        guard var edit = action as? any JSONEdit else { return next(action) }
                        edit.within = bytes
                        next(edit)
                    }
                }
            }
        }
    }

    private static func definition(_ initial: JSON) -> RoomDefinition<SharedDocument> {
        RoomDefinition(
            state: SharedDocument(initial), actions: actions, selections: [value],
            reducer: { document, action in
                guard let edit = action as? any JSONEdit else { return }
                document.apply(edit)
            })
    }

    static let actions: [any JSONEdit.Type] = [
        SetValue.self, MergeValue.self, IncrementValue.self, AppendValue.self, RemoveValue.self,
    ]
}

extension RoomDefinition<SharedDocument> {
    fileprivate func checking<Edit: JSONEdit>(_ type: Edit.Type) -> Self {
        validate(type) { document, edit, _ in try edit.check(document) }
            .authorize(type) { edit, _ in
                guard edit.within == nil else {
                    throw Rejection(.invalid, "Only the room says how large its document may be.")
                }
            }
    }
}
