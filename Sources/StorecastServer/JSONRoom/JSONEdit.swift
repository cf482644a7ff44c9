import StorecastSync

/// A change of one place of a document.
protocol JSONEdit: SyncAction {
    /// Where.
    var path: JSONPath { get }

    /// Throws if the edit can't be done to `document`, or would make it too large.
    func check(_ document: JSON) throws(Rejection)

    /// Does it in place; without effect where ``check(_:)`` throws because of the path.
    func apply(to document: inout JSON)
}

extension JSONEdit {
    /// The value at the path; nil if only the last step is missing, a member of an object that is
    /// there. Throws a rejection that says where the path ends.
    func target(in document: JSON) throws(Rejection) -> JSON? {
        do {
            return try path.pointer.resolve(in: document)
        } catch {
            if path.isMember(missing: error) { return nil }
            throw Rejection(error)
        }
    }

    /// As ``target(in:)``, for a value that must be there.
    func existingTarget(in document: JSON) throws(Rejection) -> JSON {
        do {
            return try path.pointer.resolve(in: document)
        } catch {
            throw Rejection(error)
        }
    }

    /// Throws if `document` could outgrow its limits with `value` in it, in place of `replaced`.
    /// O(document).
    func checkRoom(
        for value: JSON, replacing replaced: JSON? = nil, in document: JSON
    ) throws(Rejection) {
        guard path.pointer.tokens.count + value.depth <= JSONRoom.deepestDocument else {
            throw Rejection(
                .invalid, "The document would be nested too deeply.",
                detail: "At most \(JSONRoom.deepestDocument) levels.")
        }
        // With room for the name of a new member, its quotes and punctuation.
        let name = JSON.string(path.pointer.tokens.last ?? "").encodedSize + 2
        let rest = document.encodedSize - (replaced?.encodedSize ?? 0)
        guard rest + value.encodedSize + name <= JSONRoom.longestDocument else {
            throw Rejection(
                .conflict, "The document would be too large.",
                detail: "At most \(JSONRoom.longestDocument) bytes.")
        }
    }
}

extension JSONPath {
    /// Whether all that `error` misses is the last step, a member of an object.
    func isMember(missing error: JSONPointerError) -> Bool {
        error.reason == .noMember && error.end.tokens.count == pointer.tokens.count - 1
    }
}

extension Rejection {
    /// The path can't be followed in the document as it is.
    fileprivate init(_ error: JSONPointerError) {
        self.init(.conflict, "The path can't be followed.", detail: error.message)
    }
}
