import StorecastRoom
import StorecastSync
import StorecastWire
import Synchronization

/// Tells which entries of a history led to no version. Only reducing it tells: a room's rules
/// decide by the state that each dispatch met, and the journal has no word of that.
///
/// `Sendable` by the mutex: between its steps, the loop and the other thread each may hold it.
final class OutcomePlayback: Playback {
    /// How many entries are reduced for one answer, and how long it may take.
    private static let maxEntries = 200_000
    private static let maxTime = Duration.seconds(10)
    /// How many entries without effect are told.
    private static let mostTold = 10_000

    private struct Progress {
        let replay: any AnyRoomReplay
        var offset: UInt64 = 0
        var ineffective: [JSON] = []
        var count = 0
        var time = Duration.zero
    }

    private let through: UInt64?
    private let progress: Mutex<Progress>

    /// - Parameter through: the version to end at; nil for the end of the history.
    init(_ definition: any RoomDefinitionProtocol, _ limits: SyncLimits, through: UInt64?) {
        self.through = through
        progress = Mutex(Progress(replay: definition.replay(limits)))
    }

    var start: UInt64 { 0 }

    func restore(_ kept: JournalSnapshot) -> Bool {
        progress.withLock { progress in
            progress.offset = kept.offset
            return (try? progress.replay.restore(kept)) != nil
        }
    }

    /// What is before a snapshot that the history begins with has no entries.
    func answerToTruncation() -> JSON? { nil }

    func take(_ records: [JournalChunk.Record], isLast: Bool) -> PlaybackStep {
        let start = ContinuousClock.now
        return progress.withLock { progress in
            defer { progress.time += ContinuousClock.now - start }
            do {
                for (offset, record) in records where progress.replay.version != through {
                    try reduce(record, at: offset, on: &progress)
                }
                guard progress.ineffective.count <= Self.mostTold else {
                    return .problem("More than \(Self.mostTold) dispatches were rejected.")
                }
                if progress.replay.version == through || (isLast && through == nil) {
                    return .done(answer(progress))
                }
                if isLast { return .done(DevtoolsState.notReached) }
                let time = progress.time + (ContinuousClock.now - start)
                if progress.count >= Self.maxEntries || time >= Self.maxTime {
                    return .problem(
                        "It takes too long to find out which dispatches were rejected.")
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
        progress.offset = offset
        var told: JSONObject = ["offset": .uint(offset)]
        switch try progress.replay.reduce(record, at: offset).outcome {
        case .reduced: return
        // The entry itself says it.
        case .rejected where record.rejection != nil: return
        case .rejected(let rejection): told["rejection"] = .string(rejection.description)
        case .duplicate: break
        }
        progress.ineffective.append(.object(told))
    }

    private func answer(_ progress: Progress) -> JSON {
        [
            "version": .uint(progress.replay.version), "offset": .uint(progress.offset),
            "ineffective": .array(progress.ineffective),
        ]
    }
}
