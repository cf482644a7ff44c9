/// Why a patch can't be read or applied.
public struct JSONPatchError: Error, Hashable, Sendable {
    /// What kind of fault it is.
    public enum Reason: Hashable, Sendable {
        /// The patch is no array of objects, each with a known `op` and the members that it needs.
        case malformed(String)
        /// A path is malformed or leads nowhere.
        case path(JSONPointerError)
        /// A `test` found another value.
        case testFailed(JSONPointer)
        /// A value would be moved into itself.
        case intoItself(JSONPointer)
        /// The result would be nested deeper, or copies be larger, than the limits.
        case tooLarge
    }

    /// What kind of fault it is.
    public var reason: Reason
    /// Which operation of the patch, from 0; nil if it is the patch as a whole.
    public var index: Int?

    init(_ reason: Reason, at index: Int? = nil) {
        self.reason = reason
        self.index = index
    }

    /// The fault as a sentence for people.
    public var message: String {
        let text =
            switch reason {
            case .malformed(let text): text
            case .path(let error): error.message
            case .testFailed(let path): "The value at \"\(path)\" is not the one that was expected."
            case .intoItself(let path): "The value at \"\(path)\" can't be moved into itself."
            case .tooLarge: "The result would be too large or nested too deeply."
            }
        return index.map { "Operation \($0): \(text)" } ?? text
    }
}

extension JSONPatchError: CustomStringConvertible {
    /// The fault as a sentence.
    public var description: String { message }
}
