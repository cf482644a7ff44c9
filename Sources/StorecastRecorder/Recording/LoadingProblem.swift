/// An action of a recording that couldn't be turned into one of its Swift type.
///
/// The recorder keeps and replays it as the ``StandardAction`` that it is in the recording, which
/// reducers ignore unless they look for it, and saves it again unchanged.
public struct LoadingProblem: Hashable, Sendable, CustomStringConvertible {
    /// Why an action stays data.
    public enum Reason: Error, Hashable, Sendable {
        /// No type map has its type.
        case unknownType
        /// The type couldn't read the payload, and says why.
        case unreadable(String)
    }

    /// Which action of the recording it is, from 0.
    public let index: Int
    /// The action's type.
    public let type: String
    /// Why it stays data.
    public let reason: Reason

    /// The problem as a sentence.
    public var description: String {
        switch reason {
        case .unknownType: "Action \(index) is of the unknown type '\(type)'."
        case .unreadable(let message): "Action \(index), a '\(type)', can't be read: \(message)"
        }
    }
}
