/// One action that a ``Recorder`` holds.
public struct RecordedAction {
    /// The action as the reducer got it; a ``StandardAction`` if it was loaded and its type isn't
    /// known.
    public let action: any Action
    /// When it was reduced, from the start of the recording.
    public let time: Duration

    package init(action: any Action, time: Duration) {
        self.action = action
        self.time = time
    }
}
