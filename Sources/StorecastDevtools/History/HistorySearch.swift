import StorecastRoom
import StorecastSync
import StorecastWire
import Synchronization

/// Looks through a room's journal for the dispatch that changed a place of the state, or that first
/// made it compare with a value, on another thread than the loop's.
///
/// It looks at the state behind each dispatch: nothing is assumed of what lies between two
/// versions. What changed last is looked for from the newest snapshot on, then from the one before,
/// and so on. It ends when it has reduced too many entries or took too long, and says how far it
/// came.
///
/// `Sendable` by the mutex: between its steps, the loop and the other thread each may hold it.
final class HistorySearch: Playback {
    /// How many entries are reduced for one answer, and how long it may take.
    static let maxEntries = 200_000
    static let maxTime = Duration.seconds(10)
    /// The largest value that is shown with an answer.
    private static let maxValueBytes = 64 << 10

    private enum Goal {
        case lastChange
        case first(PlaceTest)
    }

    private struct Progress {
        var replay: any AnyRoomReplay
        /// What is looked through is behind `from`, up to `through`.
        var from: UInt64
        var through: UInt64
        /// What the place has at the replay's version, once that is looked at.
        var place: Place?
        var found: JSON?
        var count = 0
        var time = Duration.zero
    }

    /// What a place has; nothing if the state has no such place.
    private struct Place: Equatable {
        var value: JSON?
    }

    private let definition: any RoomDefinitionProtocol
    private let limits: SyncLimits
    private let pointer: JSONPointer
    private let goal: Goal
    private let newest: UInt64
    private let maxTime: Duration
    private let progress: Mutex<Progress>

    init(
        _ definition: any RoomDefinitionProtocol, _ limits: SyncLimits, change: ChangeParameters,
        maxTime: Duration = HistorySearch.maxTime
    ) throws(JSONPointerError) {
        pointer = try JSONPointer(parsing: change.path.string)
        (self.definition, self.limits, self.maxTime) = (definition, limits, maxTime)
        goal = .lastChange
        newest = change.through
        progress = Mutex(
            Progress(replay: definition.replay(limits), from: 0, through: change.through))
    }

    init(
        _ definition: any RoomDefinitionProtocol, _ limits: SyncLimits, first: FirstParameters,
        maxTime: Duration = HistorySearch.maxTime
    ) throws(JSONPointerError) {
        pointer = try JSONPointer(parsing: first.path.string)
        (self.definition, self.limits, self.maxTime) = (definition, limits, maxTime)
        goal = .first(PlaceTest(first))
        newest = first.through
        progress = Mutex(
            Progress(
                replay: definition.replay(limits), from: first.from, through: first.through))
    }

    /// The newest version that it looks at.
    var end: UInt64 { newest }

    var pageEntries: Int { 200 }

    var start: UInt64 {
        progress.withLock { progress in
            switch goal {
            case .lastChange: progress.through - min(progress.through, 1)
            case .first: progress.from
            }
        }
    }

    func begin() {
        progress.withLock { progress in
            progress.replay = definition.replay(limits)
            progress.place = nil
            if case .lastChange = goal { progress.from = 0 }
        }
    }

    func restore(_ kept: JournalSnapshot) -> Bool {
        progress.withLock { progress in
            let replay = definition.replay(limits)
            guard (try? replay.restore(kept)) != nil else { return false }
            progress.replay = replay
            progress.place = nil
            switch goal {
            case .lastChange: progress.from = kept.version
            // What is before it may be lost.
            case .first: progress.from = max(progress.from, kept.version)
            }
            return true
        }
    }

    func answerToTruncation() -> JSON? {
        switch goal {
        case .lastChange: progress.withLock { Self.nothing($0.through, newest) }
        case .first: nil
        }
    }

    func take(_ records: [JournalChunk.Record], isLast: Bool) -> PlaybackStep {
        let start = ContinuousClock.now
        return progress.withLock { progress in
            defer { progress.time += ContinuousClock.now - start }
            do {
                if let answer = try lookAtStart(&progress) { return .done(answer) }
                for (offset, record) in records {
                    guard progress.replay.version < progress.through else { break }
                    if let answer = try take(record, at: offset, &progress) {
                        return .done(answer)
                    }
                    let time = progress.time + (ContinuousClock.now - start)
                    if progress.count >= Self.maxEntries || time >= maxTime {
                        return .done(givenUp(progress))
                    }
                }
                guard progress.replay.version >= progress.through || isLast else { return .more }
                return endOfRange(&progress)
            } catch {
                return .unreducible(error)
            }
        }
    }

    /// What the place has before the first dispatch that is looked at.
    private func lookAtStart(_ progress: inout Progress) throws -> JSON? {
        guard progress.place == nil, progress.replay.version >= progress.from else { return nil }
        let place = try place(in: progress.replay)
        progress.place = place
        guard case .first(let test) = goal, test.holds(place.value) else { return nil }
        return Self.json(progress.replay.version, nil, nil, place)
    }

    /// Reduces an entry; the answer if that is it.
    private func take(
        _ record: JournalRecord, at offset: UInt64, _ progress: inout Progress
    ) throws -> JSON? {
        progress.count += 1
        let version = progress.replay.version
        let replayed = try progress.replay.reduce(record, at: offset)
        guard replayed.version > version else { return nil }
        guard let before = progress.place else { return try lookAtStart(&progress) }
        let place = try place(in: progress.replay)
        progress.place = place
        switch goal {
        case .lastChange:
            guard place != before else { return nil }
            progress.found = Self.json(replayed.version, record, before, place)
            return nil
        case .first(let test):
            guard test.holds(place.value) else { return nil }
            return Self.json(replayed.version, record, before, place)
        }
    }

    private func endOfRange(_ progress: inout Progress) -> PlaybackStep {
        guard progress.replay.version >= progress.through else {
            return .done(DevtoolsState.notReached)
        }
        if let found = progress.found { return .done(found) }
        if case .lastChange = goal, progress.from > 0 {
            progress.through = progress.from
            progress.place = nil
            return .again
        }
        return .done(Self.nothing(progress.from, newest))
    }

    private func givenUp(_ progress: Progress) -> JSON {
        var (from, through) = (progress.from, progress.replay.version)
        // In the range that isn't at its end, nothing is known of the last change.
        if case .lastChange = goal { (from, through) = (progress.through, newest) }
        guard from < through else {
            return DevtoolsState.problem(
                "It takes too long to look through what lies between this version and the "
                    + "snapshot before it.")
        }
        var answer = Self.nothing(from, through)
        answer["isBounded"] = true
        return answer
    }

    private func place(in replay: any AnyRoomReplay) throws -> Place {
        let tree = try replay.tree()
        return Place(value: try? pointer.resolve(in: tree))
    }

    /// That there is no such version behind `from`, up to `through`.
    private static func nothing(_ from: UInt64, _ through: UInt64) -> JSON {
        ["version": .null, "from": .uint(from), "through": .uint(through)]
    }

    private static func json(
        _ version: UInt64, _ record: JournalRecord?, _ before: Place?, _ after: Place
    ) -> JSON {
        var answer: JSONObject = ["version": .uint(version)]
        if let record {
            var logged = LoggedDispatch(record, cutting: true)
            logged.version = version
            answer["dispatch"] = try? JSONCoding.encodeTree(logged)
        }
        let places: [(name: String, place: Place?)] = [("before", before), ("after", after)]
        for (name, place) in places {
            guard let value = place?.value else { continue }
            if value.encodedSize(upTo: maxValueBytes) <= maxValueBytes {
                answer[name] = value
            } else {
                answer["isCut"] = true
            }
        }
        return .object(answer)
    }
}

/// How what a place has is compared with a value.
struct PlaceTest: Sendable {
    private let comparison: PlaceComparison
    private let value: JSON

    init(_ parameters: FirstParameters) {
        comparison = parameters.test
        value = parameters.value ?? .null
    }

    /// - Parameter place: nil if the state has no such place.
    func holds(_ place: JSON?) -> Bool {
        switch comparison {
        case .exists: place != nil
        case .isMissing: place == nil
        case .equals: place == value
        case .differs: place.map { $0 != value } ?? false
        case .isLess: place.map { Self.isLess($0, value) } ?? false
        case .isGreater: place.map { Self.isLess(value, $0) } ?? false
        }
    }

    /// Numbers by their values, strings by their bytes; nothing else has an order.
    private static func isLess(_ left: JSON, _ right: JSON) -> Bool {
        if let left = left.string, let right = right.string {
            return ExactString(left) < ExactString(right)
        }
        if let left = left.wholeNumber, let right = right.wholeNumber { return left < right }
        guard let left = left.double, let right = right.double else { return false }
        return left < right
    }
}
