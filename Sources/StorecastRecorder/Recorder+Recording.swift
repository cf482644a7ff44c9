extension Recorder {
    /// All actions as data to be kept, including the future. Complexity: linear.
    ///
    /// - Throws: ``RecordingError`` that names the first action which is neither a
    ///   ``StandardAction`` nor ``StandardActionConvertible``, or can't be encoded.
    public func recording() throws(RecordingError) -> Recording {
        var recording = Recording()
        recording.entries.reserveCapacity(actions.count)
        for (index, recorded) in actions.enumerated() {
            let action = try Self.standardAction(recorded.action, index: index)
            recording.entries.append(.init(time: recorded.time, action: action))
        }
        return recording
    }

    private static func standardAction(
        _ action: any Action, index: Int
    ) throws(RecordingError) -> StandardAction {
        if let action = action as? StandardAction { return action }
        guard let action = action as? any StandardActionConvertible else {
            throw RecordingError(
                "Action \(index), a '\(type(of: action))', can't be saved: it must conform to "
                    + "StandardActionConvertible, which needs no further code if it is Codable.")
        }
        do {
            return try action.toStandardAction()
        } catch {
            throw RecordingError(
                "Action \(index), a '\(type(of: action))', can't be saved. "
                    + JSONCoding.message(for: error))
        }
    }

    /// Replaces the present recording by another, goes to `index` and notifies the subscribers
    /// once.
    ///
    /// Position 0 is still the state with which this recorder began: the store must have had the
    /// same when the recording was made. Complexity: linear in the size of the recording; the
    /// actions from `index` on aren't reduced until somebody goes there.
    ///
    /// - Parameters:
    ///   - recording: what takes the place of the present one.
    ///   - index: where to go; nil for the end.
    /// - Returns: which actions couldn't be converted to their Swift type.
    public func load(_ recording: Recording, goingTo index: Int? = nil) -> [LoadingProblem] {
        precondition(
            (0...recording.entries.count).contains(index ?? 0),
            "There is no such position in a recording of \(recording.entries.count) actions.")
        var problems: [LoadingProblem] = []
        let actions = recording.entries.enumerated().map { index, entry in
            do throws(LoadingProblem.Reason) {
                return RecordedAction(action: try typeMap.typed(entry.action), time: entry.time)
            } catch {
                problems.append(
                    LoadingProblem(index: index, type: entry.action.type, reason: error))
                return RecordedAction(action: entry.action, time: entry.time)
            }
        }
        load(actions, startingFrom: nil, goingTo: index)
        return problems
    }
}

/// An action of a recording that couldn't be converted to its Swift type.
///
/// The recorder keeps and replays it as the ``StandardAction`` that it is in the recording, which
/// reducers ignore unless they look for it, and saves it again unchanged.
public struct LoadingProblem: Hashable, Sendable, CustomStringConvertible {
    /// Why an action couldn't be converted.
    public enum Reason: Error, Hashable, Sendable {
        /// No type map has its type.
        case unknownType
        /// The type couldn't read the payload; with its message.
        case unreadable(String)
    }

    /// Which action of the recording it is, from 0.
    public let index: Int
    /// The action's type.
    public let type: String
    /// Why it couldn't be converted.
    public let reason: Reason

    /// The problem as a sentence.
    public var description: String {
        switch reason {
        case .unknownType: "Action \(index) is of the unknown type '\(type)'."
        case .unreadable(let message): "Action \(index), a '\(type)', can't be read: \(message)"
        }
    }
}
