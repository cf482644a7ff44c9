public import StorecastRoom
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
    /// The longest document that a room can say it has, in bytes: what a server with the usual
    /// `SyncLimits.valueBytes` sends whole, and clients take.
    public static let mostBytes = SyncLimits().valueBytes
    /// How deep arrays and objects may be nested in the document: few enough levels that it can
    /// be read inside a frame by a client with the usual limits.
    public static let deepestDocument = 56

    /// The value at the parameter's path, `{"path": "/a/b"}`; null while there is none.
    public static let value: Selection<SharedDocument, JSONPlace, JSON> = {
        var value = Selection("value") { (document: SharedDocument, place: JSONPlace) in
            document.value.value(at: place.path.pointer)
        }
        value.upkeep = DocumentSelection()
        return value
    }()

    /// A room whose document starts as `initial`.
    ///
    /// - Parameters:
    ///   - initial: the document at version 0, nested no deeper than ``deepestDocument``.
    ///   - bytes: how many bytes of compact text the document may have; an edit that would make it
    ///     longer is rejected. A server may be started with another limit: the journal keeps with
    ///     each edit the one that held for it. No more than ``mostBytes``, or nobody can be sent
    ///     the whole document. A server needs a few times as much memory.
    public static func definition(
        initial: JSON, bytes: Int = longestDocument
    ) -> RoomDefinition<SharedDocument> {
        let room = actions.reduce(definition(initial)) { $0.checking($1) }
        guard bytes != longestDocument else { return room }
        return room.onOpen { store in
            store.middleware.append { _, _ in
                { next in
                    { action in
                        guard var edit = edit(action) else { return next(action) }
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
                if let edit = edit(action) { document.apply(edit) }
            })
    }

    static let actions: [any JSONEdit.Type] = [
        SetValue.self, MergeValue.self, IncrementValue.self, AppendValue.self, RemoveValue.self,
    ]

    /// An action as one of these; a cast to the protocol would take several times as long.
    static func edit(_ action: any Action) -> (any JSONEdit)? {
        switch action {
        case let edit as SetValue: edit
        case let edit as IncrementValue: edit
        case let edit as AppendValue: edit
        case let edit as MergeValue: edit
        case let edit as RemoveValue: edit
        default: nil
        }
    }
}

extension RoomDefinition<SharedDocument> {
    fileprivate func checking<Edit: JSONEdit>(_ type: Edit.Type) -> Self {
        validate(type) { document, edit, _ in try edit.check(document) }
            .inspect(type) { edit in
                guard edit.within == nil else {
                    throw Rejection(.invalid, "Only the room says how large its document may be.")
                }
                guard edit.narrow == nil else {
                    throw Rejection(.invalid, "Only the room says how far an edit's rights go.")
                }
            }
    }
}

/// The state of a ``JSONRoom``: the document, and the size of its text, so that an action needn't
/// measure all of it to know whether there is room.
public struct SharedDocument: Codable, Equatable, Sendable {
    /// The document.
    public private(set) var value: JSON
    /// The bytes of its compact text.
    private(set) var size: Int

    init(_ value: JSON) {
        self.value = value
        size = value.encodedSize
    }

    /// Reads the document, as it is.
    public init(from decoder: any Decoder) throws {
        self.init(try JSON(from: decoder))
    }

    /// Writes the document, as it is.
    public func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }

    /// Makes a change that was checked.
    mutating func apply(_ edit: some JSONEdit) {
        for step in edit.steps(in: value) {
            size += step.growth
            step.apply(to: &value)
        }
    }
}

/// The parameter of ``JSONRoom/value``: `{"path": "/a/b"}`.
public struct JSONPlace: Hashable, Codable, Sendable {
    /// The way to the value; empty for the whole document.
    public var path: JSONPath

    /// A place in the document.
    public init(path: JSONPath = JSONPath()) {
        self.path = path
    }
}

/// A JSON Pointer (RFC 6901) as a member of an action or a parameter: a string in JSON.
public struct JSONPath: Hashable, Sendable {
    /// The pointer that the string says.
    public var pointer: JSONPointer

    /// A path; without an argument to the whole document.
    public init(_ pointer: JSONPointer = JSONPointer()) {
        self.pointer = pointer
    }
}

extension JSONPath: Codable {
    /// Reads a pointer from a string; throws `dataCorrupted` with a sentence if it is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            pointer = try JSONPointer(parsing: text)
        } catch {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: error.message)
        }
    }

    /// Writes the pointer's text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(pointer.description)
    }
}
