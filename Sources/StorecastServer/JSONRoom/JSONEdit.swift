import StorecastSync

/// A change of one place of a document.
protocol JSONEdit: SyncAction {
    /// The place that changes.
    var path: JSONPath { get }

    /// How many bytes the document may have then; nil for ``JSONRoom/longestDocument``.
    ///
    /// Set by the room when it takes the edit, and so kept in its log: reducing the log again leads
    /// to the same document, whatever the limit is by then.
    var within: Int? { get set }

    /// What the edit may change as a whole beside the places that it names, if the document is such
    /// that it does; nil if it changes no others.
    var whole: JSONPointer? { get }

    /// Whether it is rejected if it would change more than the places that it names, as its sender
    /// has no right to ``whole``.
    ///
    /// Set by the room when it takes the edit, as the document may be another in the order of the
    /// log.
    var narrow: Bool? { get set }

    /// Throws if the edit can't be done to `document`, or would make it too large.
    func check(_ document: SharedDocument) throws(Rejection)

    /// What it does to `document`, one after the other; nothing where ``check(_:)`` throws because
    /// of the path.
    ///
    /// Linear in the path, the edit and what it replaces.
    func steps(in document: JSON) -> [DocumentStep]
}

extension JSONEdit {
    /// An edit that makes nothing longer needs no limit.
    var within: Int? {
        get { nil }
        set {}
    }

    var whole: JSONPointer? { nil }

    var narrow: Bool? {
        get { nil }
        set {}
    }

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

    /// Throws unless `value`, put at the path, keeps the document within the bounds of a
    /// ``JSONRoom``.
    func checkSize(with value: JSON, in document: SharedDocument) throws(Rejection) {
        guard path.pointer.tokens.count + value.depth <= JSONRoom.deepestDocument else {
            throw Rejection(
                .invalid, "The document would be nested too deeply.",
                detail: "At most \(JSONRoom.deepestDocument) levels.")
        }
        let growth = steps(in: document.value).reduce(0) { $0 + $1.growth }
        let longest = within ?? JSONRoom.longestDocument
        guard growth <= 0 || document.size + growth <= longest else {
            throw Rejection(
                .conflict, "The document would be too large.", detail: "At most \(longest) bytes.")
        }
    }

    /// Puts a value at the path, in place of what is there or as a new member of an object.
    func steps(putting value: JSON, in document: JSON) -> [DocumentStep] {
        do {
            let old = try path.pointer.resolve(in: document)
            return [DocumentStep(replacing: old, by: value, at: path.pointer)]
        } catch {
            guard path.isMember(missing: error), let name = path.pointer.tokens.last else {
                return []
            }
            let siblings = (try? error.end.resolve(in: document))?.object?.count ?? 0
            return [DocumentStep(adding: value, as: name, to: error.end, with: siblings)]
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

extension JSON {
    /// The exact sum of two numbers: an integer if both are, rejected if it doesn't fit into 64
    /// bits, signed or not; else a double, rejected if it isn't finite.
    ///
    /// `2.0` is an integer, as a document that was written and read has it as `2`.
    func adding(_ other: JSON) throws(Rejection) -> JSON {
        if let left = wholeNumber, let right = other.wholeNumber {
            let sum = left + right
            if let small = Int64(exactly: sum) { return .int(small) }
            if let large = UInt64(exactly: sum) { return .uint(large) }
            // Without the sum, as the sender needn't have the right to read it.
            throw Rejection(
                .conflict, "The sum is out of range.", detail: "It is no integer of 64 bits.")
        }
        guard let left = double, let right = other.double else {
            throw Rejection(
                .conflict, "Only a number can be incremented.",
                detail: "There is \(kindName) at the path.")
        }
        let sum = left + right
        guard sum.isFinite else { throw Rejection(.conflict, "The sum is out of range.") }
        return .double(sum)
    }

    /// What this is, in words.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int, .uint, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
