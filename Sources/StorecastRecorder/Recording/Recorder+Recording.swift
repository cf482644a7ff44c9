extension Recorder {
    /// All actions as data to be kept, the future included. Complexity: linear.
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

    /// Puts a recording in the place of the present one, goes to `index` and tells the subscribers,
    /// once.
    ///
    /// Position 0 is still the state with which this recorder began: that of the store must have
    /// been the same when the recording was made. Complexity: linear in the size of the recording;
    /// the actions from `index` on aren't reduced until somebody goes there.
    ///
    /// - Parameter index: where to go; nil for the end.
    /// - Returns: which actions couldn't be turned into ones of their type.
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
        pause()
        restart(with: actions)
        move(to: index ?? actions.count)
        return problems
    }

    /// Puts actions and the state with which they begin in the place of the present recording, goes to
    /// `index` and tells the subscribers, once.
    ///
    /// - Parameters:
    ///   - actions: their times don't decrease.
    ///   - start: position 0 from now on.
    ///   - index: where to go; nil for the end.
    package func load(
        _ actions: [RecordedAction], startingFrom start: State, goingTo index: Int? = nil
    ) {
        pause()
        checkpoints.restart(from: start)
        restart(with: actions)
        move(to: index ?? actions.count)
    }

    private static func standardAction(
        _ action: any Action, index: Int
    ) throws(RecordingError) -> StandardAction {
        if let action = action as? StandardAction { return action }
        guard let action = action as? any StandardActionConvertible else {
            throw RecordingError(
                "Action \(index), a '\(type(of: action))', can't be saved: make it "
                    + "StandardActionConvertible, which takes nothing else for a Codable action.")
        }
        do {
            return try action.toStandardAction()
        } catch {
            throw RecordingError(
                "Action \(index), a '\(type(of: action))', can't be saved. "
                    + JSONCoding.message(for: error))
        }
    }
}
