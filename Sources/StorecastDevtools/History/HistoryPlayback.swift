import StorecastRoom
import StorecastSync
import StorecastWire
import Synchronization

/// Reduces a room's journal again up to a version, on another thread than the loop's.
///
/// `Sendable` by the mutex: between its steps, the loop and the other thread each may hold it.
final class HistoryPlayback: Playback {
    /// How many entries are reduced for one answer.
    private static let maxEntries = 200_000
    /// How many dispatches a page of history has.
    private static let historyPage = 200
    private static let maxStateBytes = 4 << 20

    private struct Progress {
        let actual: any AnyRoomReplay
        /// The room without what is skipped; nil if nothing is.
        let variant: (any AnyRoomReplay)?
        /// The state before the last dispatch.
        var before: JSON?
        var history: [LoggedDispatch] = []
        var count = 0
        /// How many dispatches have another outcome because of what is skipped.
        var affected = 0
    }

    private let progress: Mutex<Progress>
    private let version: UInt64
    private let skip: Set<UInt64>
    private let wantsHistory: Bool

    init(
        _ definition: any RoomDefinitionProtocol, _ limits: SyncLimits,
        at parameters: VersionParameters
    ) {
        version = parameters.version
        skip = Set(parameters.skip ?? [])
        wantsHistory = false
        progress = Mutex(
            Progress(
                actual: definition.replay(limits),
                variant: parameters.skip?.isEmpty ?? true ? nil : definition.replay(limits)))
    }

    init(
        _ definition: any RoomDefinitionProtocol, _ limits: SyncLimits,
        history parameters: HistoryParameters
    ) {
        version = parameters.through
        skip = []
        wantsHistory = true
        progress = Mutex(Progress(actual: definition.replay(limits), variant: nil))
    }

    var start: UInt64 {
        if wantsHistory { return version - min(version, UInt64(Self.historyPage)) }
        let first = min(version, skip.min() ?? version)
        return first - min(first, 1)
    }

    func restore(_ kept: JournalSnapshot) -> Bool {
        progress.withLock { progress in
            do {
                try progress.actual.restore(kept)
                try progress.variant?.restore(kept)
                return true
            } catch {
                return false
            }
        }
    }

    func take(_ records: [JournalChunk.Record], isLast: Bool) -> PlaybackStep {
        progress.withLock { progress in
            do {
                if version == 0 { return .done(try answer(progress)) }
                for (offset, record) in records {
                    try reduce(record, at: offset, on: &progress)
                    if progress.actual.version == version { return .done(try answer(progress)) }
                }
                if isLast { return .done(DevtoolsState.notReached) }
                if progress.count >= Self.maxEntries {
                    return .problem("Too much lies between it and the last snapshot.")
                }
                return .more
            } catch {
                return .unreducible(error)
            }
        }
    }

    private func reduce(
        _ record: JournalRecord, at offset: UInt64, on progress: inout Progress
    ) throws {
        progress.count += 1
        if !wantsHistory, progress.before == nil, progress.actual.version + 1 == version {
            progress.before = try progress.actual.tree()
        }
        let replayed = try progress.actual.reduce(record, at: offset)
        if wantsHistory { append(record, replayed, to: &progress.history) }
        guard let variant = progress.variant else { return }
        if replayed.outcome == .reduced, skip.contains(replayed.version) { return }
        let other = try variant.reduce(record, at: offset)
        if (other.outcome == .reduced) != (replayed.outcome == .reduced) { progress.affected += 1 }
    }

    private func append(
        _ record: JournalRecord, _ replayed: ReplayedEntry, to history: inout [LoggedDispatch]
    ) {
        if replayed.outcome == .duplicate { return }
        var logged = LoggedDispatch(record, cutting: true)
        logged.offset = replayed.offset
        logged.version = replayed.version
        if case .rejected(let rejection) = replayed.outcome {
            logged.rejection = rejection.description
        }
        if history.count >= Self.historyPage { history.removeFirst() }
        history.append(logged)
    }

    private func answer(_ progress: Progress) throws -> JSON {
        if wantsHistory { return try JSONCoding.encodeTree(progress.history) }
        let actual = try progress.actual.tree()
        guard actual.encodedSize(upTo: Self.maxStateBytes) <= Self.maxStateBytes else {
            return DevtoolsState.problem("The state is too large to be shown.")
        }
        guard let variant = progress.variant else {
            // The patch back to the state before: what the last dispatch changed.
            let undo = try Self.json(JSONPatch.diff(from: actual, to: progress.before ?? actual))
            return ["version": .uint(version), "state": actual, "undo": undo]
        }
        let state = try variant.tree()
        return [
            "version": .uint(version), "state": state, "affected": .int(Int64(progress.affected)),
            "undo": try Self.json(JSONPatch.diff(from: state, to: actual)),
        ]
    }

    private static func json(_ patch: JSONPatch) throws -> JSON {
        var writer = JSONWriter()
        patch.write(to: &writer)
        return try JSONDocument(writer.bytes, limits: .trusted).root.json
    }
}
