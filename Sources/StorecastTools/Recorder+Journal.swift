public import StorecastRecorder
public import StorecastRoom

extension Recorder where State: Codable & Sendable {
    /// Replaces the recording with the history of a room, goes to `index` and notifies the
    /// subscribers, once.
    ///
    /// ```swift
    /// let store = Store(state: Board(), reducer: Board.reduce)
    /// let recorder = Recorder(store)
    /// try recorder.load(journal: lines, of: Board.room)  // as `storecast journal export` wrote them, in UTF-8
    /// recorder.travel(to: 12)
    /// ```
    /// The recording has the actions that were reduced, with their original stamps, and begins with
    /// the state with which the text begins. Rejected actions and duplicates aren't in it.
    ///
    /// Complexity: linear, as everything is reduced once. If it throws, the recording stays as it
    /// is.
    ///
    /// - Parameters:
    ///   - text: JSON Lines in UTF-8.
    ///   - room: the room's definition; its reducer must be that of the store.
    ///   - index: where to go, which must be there; nil for the end.
    /// - Throws: ``JournalTextError``, which names the first line that can't be read or used.
    public func load(
        journal text: [UInt8], of room: RoomDefinition<State>, goingTo index: Int? = nil
    ) throws(JournalTextError) {
        let replay = RoomReplay(room)
        var actions: [RecordedAction] = []
        var start: State?
        var began: Timestamp?
        try replay.read(text) { record, offset in
            start = start ?? replay.state
            began = began ?? record.time
            guard try replay.reduce(record, at: offset).outcome == .reduced else { return }
            let reduced = replay.actions(of: record, at: offset)
            let time = Duration(from: began ?? record.time, to: record.time)
            let due = max(time, actions.last?.time ?? .zero)
            if reduced.contains(where: { $0 is RevertTo<State> }) {
                let replacement = StateReplacement(replay.state)
                actions.append(RecordedAction(action: replacement, time: due))
            } else {
                actions += reduced.map { RecordedAction(action: $0, time: due) }
            }
        }
        load(actions, startingFrom: start ?? replay.state, goingTo: index)
    }
}

extension Duration {
    /// Zero if the times make no sense.
    fileprivate init(from start: Timestamp, to end: Timestamp) {
        let seconds = end.secondsSince1970 - start.secondsSince1970
        self = (0...1e12).contains(seconds) ? .seconds(seconds) : .zero
    }
}
