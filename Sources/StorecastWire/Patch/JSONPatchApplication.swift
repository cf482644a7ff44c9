/// A patch being applied: carries out operations, and records how to undo them.
struct JSONPatchApplication {
    /// Undoes one operation.
    private enum Inverse {
        case put(JSONPointer, JSON)
        case remove(JSONPointer)
        /// Puts a removed element or member back where it was.
        case restore(JSONPointer, JSON, position: Int)
    }

    private let depth: Int
    private var bytesLeft: Int
    private var inverses: [Inverse] = []

    init(limits: JSONLimits) {
        depth = min(limits.depth, JSONLimits.deepestNesting)
        bytesLeft = limits.bytes
    }

    mutating func perform(
        _ operation: JSONPatch.Operation, on root: inout JSON
    ) throws(JSONPatchError) {
        do {
            switch operation {
            case .add(let path, let value): try add(value, path, &root)
            case .remove(let path): _ = try remove(path, &root)
            case .replace(let path, let value): try replace(value, path, &root)
            case .move(let from, let path): try move(from, path, &root)
            case .copy(let from, let path):
                let value = try from.resolve(in: root)
                bytesLeft -= value.encodedSize
                if bytesLeft < 0 { return try fail(.tooLarge) }
                try add(value, path, &root)
            case .test(let path, let value):
                if try path.resolve(in: root) != value { try fail(.testFailed(path)) }
            }
        } catch let error as JSONPointerError {
            throw JSONPatchError(.path(error))
        } catch let error as JSONPatchError {
            throw error
        } catch {
            throw JSONPatchError(.malformed("\(error)"))
        }
    }

    /// Undoes all operations, the last one first.
    mutating func undo(on root: inout JSON) {
        while let inverse = inverses.popLast() {
            // Each is applied to exactly the value that its operation left, so none can fail.
            try? Self.apply(inverse, &root)
        }
    }

    private func fail(_ reason: JSONPatchError.Reason) throws {
        throw JSONPatchError(reason)
    }

    private func checkDepth(_ value: JSON, _ path: JSONPointer) throws {
        if path.tokens.count + value.depth > depth { try fail(.tooLarge) }
    }

    private mutating func add(_ value: JSON, _ path: JSONPointer, _ root: inout JSON) throws {
        try checkDepth(value, path)
        guard !path.tokens.isEmpty else { return try replace(value, path, &root) }
        var inverse = Inverse.remove(path)
        try root.modifyParent(of: path) { (parent, token) throws(JSONPointerError) in
            if let old = parent.withObject({ $0.updateValue(value, forKey: token) }) {
                if let old { inverse = .put(path, old) }
                return
            }
            let added: Void? = try parent.withArray { (array) throws(JSONPointerError) in
                let depth = path.tokens.count - 1
                let index =
                    token == "-" ? array.count : try path.index(at: depth, in: array.count + 1)
                array.insert(value, at: index)
                inverse = .remove(JSONPointer(path.tokens[..<depth] + [String(index)]))
            }
            if added == nil { throw path.missing(path.tokens.count - 1, .scalar) }
        }
        inverses.append(inverse)
    }

    private mutating func remove(_ path: JSONPointer, _ root: inout JSON) throws -> JSON {
        let (value, position) = try Self.remove(path, &root)
        inverses.append(.restore(path, value, position: position))
        return value
    }

    private mutating func replace(_ value: JSON, _ path: JSONPointer, _ root: inout JSON) throws {
        try checkDepth(value, path)
        var old = JSON.null
        try root.modify(at: path) { target in
            old = target
            target = value
        }
        inverses.append(.put(path, old))
    }

    private mutating func move(
        _ from: JSONPointer, _ path: JSONPointer, _ root: inout JSON
    ) throws {
        if path.begins(with: from) {
            _ = try from.resolve(in: root)
            // To where it is already: nothing to do.
            if path.tokens.count == from.tokens.count { return }
            return try fail(.intoItself(from))
        }
        let value = try remove(from, &root)
        try add(value, path, &root)
    }

    private static func remove(
        _ path: JSONPointer, _ root: inout JSON
    ) throws(JSONPointerError) -> (JSON, position: Int) {
        var removed = (JSON.null, position: 0)
        try root.modifyParent(of: path) { (parent, token) throws(JSONPointerError) in
            let depth = path.tokens.count - 1
            if let member = parent.withObject({ $0.removeMember(token) }) {
                guard let member else { throw path.missing(depth, .noMember) }
                removed = member
                return
            }
            let isArray: Void? = try parent.withArray { (array) throws(JSONPointerError) in
                let index = try path.index(at: depth, in: array.count)
                removed = (array.remove(at: index), position: index)
            }
            if isArray == nil { throw path.missing(depth, .scalar) }
        }
        return removed
    }

    private static func apply(_ inverse: Inverse, _ root: inout JSON) throws(JSONPointerError) {
        switch inverse {
        case .put(let path, let value):
            try root.modify(at: path) { $0 = value }
        case .remove(let path):
            _ = try remove(path, &root)
        case .restore(let path, let value, let position):
            try root.modifyParent(of: path) { (parent, token) in
                _ = parent.withObject { $0.restore(token, value, at: position) }
                _ = parent.withArray { $0.insert(value, at: position) }
            }
        }
    }
}

extension JSONPatch {
    /// Carries out the operations in order, in place while nobody else holds the value.
    ///
    /// All or nothing: after a throw the value is what it was before.
    ///
    /// Complexity: linear in the patch, not in the value; a change inside an array moves the
    /// elements behind it.
    ///
    /// - Parameters:
    ///   - value: what is changed.
    ///   - limits: how deep the result may be nested, and how many bytes of text `copy` may add in
    ///     all, so that a short patch can't make an enormous value.
    /// - Throws: ``JSONPatchError``, which names the operation.
    public func apply(
        to value: inout JSON, limits: JSONLimits = JSONLimits()
    ) throws(JSONPatchError) {
        try apply(to: &value, limits) { _, _ in }
    }

    /// Bounds on a value that a server tells by patches. It built the value, so the depth is fine;
    /// but a patch that copies can make more of a few bytes than comes as a snapshot.
    private static let sentLimits = JSONLimits(
        bytes: 64 << 20, depth: JSONLimits.deepestNesting, numberBytes: JSONLimits.largestText)

    /// Carries out a patch that a server has sent, on the value that it has sent before. After a
    /// throw that value is of no use any more.
    ///
    /// - Returns: by how many bytes the value's text has grown, if that is to be measured, about:
    ///   commas at the ends of what becomes empty, or was, aren't counted.
    @discardableResult
    package func applySent(
        to value: inout JSON, isMeasured: Bool = false
    ) throws(JSONPatchError) -> Int {
        var growth = 0
        try apply(to: &value, Self.sentLimits) { operation, value in
            if isMeasured { growth += operation.growth(of: value) }
        }
        // Copies share their storage here, but not in what is made of the value.
        let most = Self.sentLimits.bytes
        if hasCopies, value.encodedSize(upTo: most) >= most { throw JSONPatchError(.tooLarge) }
        return growth
    }

    /// - Parameter look: is called with each operation and the value before it.
    private func apply(
        to value: inout JSON, _ limits: JSONLimits, _ look: (Operation, JSON) -> Void
    ) throws(JSONPatchError) {
        var application = JSONPatchApplication(limits: limits)
        for (index, operation) in operations.enumerated() {
            look(operation, value)
            do {
                try application.perform(operation, on: &value)
            } catch {
                application.undo(on: &value)
                throw JSONPatchError(error.reason, at: index)
            }
        }
    }
}

extension JSONPatch.Operation {
    /// By how many bytes the text of `value` is going to grow, about.
    fileprivate func growth(of value: JSON) -> Int {
        switch self {
        case .add(let path, let new), .replace(let path, let new):
            new.encodedSize + addedNameSize(path, in: value) - replacedSize(path, in: value)
        case .remove(let path):
            -Self.size(at: path, in: value) - Self.nameSize(path, in: value)
        case .copy(let from, let path):
            Self.size(at: from, in: value) + addedNameSize(path, in: value)
        case .move, .test: 0
        }
    }

    /// The size of what is written over: nothing if an element is inserted.
    private func replacedSize(_ path: JSONPointer, in value: JSON) -> Int {
        if case .add = self, Self.isElement(path, in: value) { return 0 }
        return Self.size(at: path, in: value)
    }

    /// The size of a name that comes to a value that wasn't there.
    private func addedNameSize(_ path: JSONPointer, in value: JSON) -> Int {
        if case .replace = self { return 0 }
        if !Self.isElement(path, in: value), (try? path.resolve(in: value)) != nil { return 0 }
        return Self.nameSize(path, in: value)
    }

    private static func size(at path: JSONPointer, in value: JSON) -> Int {
        (try? path.resolve(in: value).encodedSize) ?? 0
    }

    private static func isElement(_ path: JSONPointer, in value: JSON) -> Bool {
        guard !path.tokens.isEmpty,
            let parent = try? JSONPointer(path.tokens.dropLast()).resolve(in: value)
        else { return false }
        return parent.array != nil
    }

    /// `"name":,` of a member, or the comma of an element.
    private static func nameSize(_ path: JSONPointer, in value: JSON) -> Int {
        guard let name = path.tokens.last else { return 0 }
        return isElement(path, in: value) ? 1 : name.utf8.count + 4
    }
}
