import StorecastRoom
import StorecastWire
import Synchronization

/// Reduces a room's journal again up to a version, away from the loop, to tell what was then.
final class JournalPlayer: Sendable {
    enum Step: Sendable {
        /// It needs the entries that come next.
        case more
        case done(JSON)
    }

    /// So many entries are reduced for one answer.
    static let mostEntries = 200_000
    /// How many dispatches a page of history has.
    static let historyPage = 200
    private static let largestState = 4 << 20

    private struct Bench {
        let truth: any AnyRoomReplay
        /// The room without what is skipped; nil if nothing is.
        let variant: (any AnyRoomReplay)?
        /// The state before the last dispatch.
        var before: JSON?
        var history: [LoggedDispatch] = []
        var count = 0
        /// How many dispatches ended otherwise than they did, because of what is skipped.
        var affected = 0
    }

    private let bench: Mutex<Bench>
    private let version: UInt64
    private let skip: Set<UInt64>
    private let wantsHistory: Bool

    init(_ definition: any RoomDefinitionProtocol, _ limits: SyncLimits, at place: VersionPlace) {
        version = place.version
        skip = Set(place.skip ?? [])
        wantsHistory = false
        bench = Mutex(
            Bench(
                truth: definition.replay(limits),
                variant: place.skip?.isEmpty ?? true ? nil : definition.replay(limits)))
    }

    init(
        _ definition: any RoomDefinitionProtocol, _ limits: SyncLimits, history place: HistoryPlace
    ) {
        version = place.through
        skip = []
        wantsHistory = true
        bench = Mutex(Bench(truth: definition.replay(limits), variant: nil))
    }

    /// The newest version from which it may begin.
    var start: UInt64 {
        if wantsHistory { return version - min(version, UInt64(Self.historyPage)) }
        let first = min(version, skip.min() ?? version)
        return first - min(first, 1)
    }

    /// Begins at a snapshot; false if it isn't good.
    func restore(_ kept: JournalSnapshot) -> Bool {
        bench.withLock { bench in
            do {
                try bench.truth.restore(kept)
                try bench.variant?.restore(kept)
                return true
            } catch {
                return false
            }
        }
    }

    /// Reduces the next entries; `isLast` if there are none behind them now.
    func take(_ records: [JournalChunk.Record], isLast: Bool) -> Step {
        bench.withLock { bench in
            do {
                if version == 0 { return .done(try answer(bench)) }
                for (offset, record) in records {
                    try reduce(record, at: offset, on: &bench)
                    if bench.truth.version == version { return .done(try answer(bench)) }
                }
                if isLast { return .done(Self.problem("The room hasn't come to this version.")) }
                if bench.count >= Self.mostEntries {
                    return .done(Self.problem("Too much lies between it and the last snapshot."))
                }
                return .more
            } catch {
                return .done(Self.problem("It can't be reduced again: \(error)"))
            }
        }
    }

    private func reduce(
        _ record: JournalRecord, at offset: UInt64, on bench: inout Bench
    ) throws {
        bench.count += 1
        if !wantsHistory, bench.before == nil, bench.truth.version + 1 == version {
            bench.before = try bench.truth.tree()
        }
        let replayed = try bench.truth.reduce(record, at: offset)
        if wantsHistory { note(record, replayed, &bench.history) }
        guard let variant = bench.variant else { return }
        if replayed.outcome == .reduced, skip.contains(replayed.version) { return }
        let other = try variant.reduce(record, at: offset)
        if (other.outcome == .reduced) != (replayed.outcome == .reduced) { bench.affected += 1 }
    }

    private func note(
        _ record: JournalRecord, _ replayed: ReplayedEntry, _ history: inout [LoggedDispatch]
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

    private func answer(_ bench: Bench) throws -> JSON {
        if wantsHistory { return try JSONCoding.encodeTree(bench.history) }
        let truth = try bench.truth.tree()
        guard truth.encodedSize(upTo: Self.largestState) <= Self.largestState else {
            return Self.problem("The state is too large to be shown.")
        }
        guard let variant = bench.variant else {
            // From here back: what the last dispatch changed.
            let undo = try Self.json(JSONPatch.diff(from: truth, to: bench.before ?? truth))
            return ["version": .uint(version), "state": truth, "undo": undo]
        }
        let state = try variant.tree()
        return [
            "version": .uint(version), "state": state, "affected": .int(Int64(bench.affected)),
            "undo": try Self.json(JSONPatch.diff(from: state, to: truth)),
        ]
    }

    private static func json(_ patch: JSONPatch) throws -> JSON {
        var writer = JSONWriter()
        patch.write(to: &writer)
        return try JSONDocument(writer.bytes, limits: .trusted).root.json
    }

    static func problem(_ text: String) -> JSON { ["problem": .string(text)] }
}
