import StorecastServer
import StorecastRoom
import StorecastWire

/// Answers one question about a room's past from its journal, without affecting the room.
///
/// Belongs to the room's loop, which reads a chunk of the journal at a time; its entries are
/// reduced on another thread.
final class HistoryReader: PastReader {
    private static let maxLines = 500

    let question: DevtoolsQuestion
    private unowned let host: any ExtensionHost
    private let room: any AnyRoom
    private let completion: (JSON) -> Void
    private(set) var isOver = false
    /// The offset of the snapshot that was begun with.
    private var startOffset: UInt64 = 0

    init(
        _ question: DevtoolsQuestion, _ room: any AnyRoom, on host: any ExtensionHost,
        completion: @escaping (JSON) -> Void
    ) {
        self.question = question
        self.room = room
        self.host = host
        self.completion = completion
    }

    func begin() {
        guard let definition = host.definition(of: room.name) else {
            return end(DevtoolsState.problem("There is no such room any more."))
        }
        switch question {
        case .stateAt(let parameters):
            play(HistoryPlayback(definition, room.limits, at: parameters.asked))
        case .history(let parameters):
            play(HistoryPlayback(definition, room.limits, history: parameters))
        case .change(let parameters):
            search { () throws(JSONPointerError) in
                try HistorySearch(definition, room.limits, change: parameters.asked)
            }
        case .first(let parameters):
            search { () throws(JSONPointerError) in
                try HistorySearch(definition, room.limits, first: parameters.asked)
            }
        case .outcomes(let parameters):
            play(OutcomePlayback(definition, room.limits, through: parameters.through))
        case .actions:
            host.offload({ RoomSamples.json(of: definition) }) { [self] in end($0) }
        case .lines(let parameters) where parameters.after == 0: readLines(after: 0, [header])
        case .lines(let parameters): readLines(after: parameters.after, [])
        default: end(.null)
        }
    }

    func cancel() { isOver = true }

    private func end(_ answer: JSON) {
        guard !isOver else { return }
        isOver = true
        completion(answer)
    }

    // MARK: States

    private func play(_ playback: any Playback) {
        guard playback.start <= room.position.version else {
            return end(DevtoolsState.notReached)
        }
        findSnapshot(for: playback, through: UInt64(Int64.max))
    }

    private func search(_ make: () throws(JSONPointerError) -> HistorySearch) {
        do throws(JSONPointerError) {
            let search = try make()
            guard search.end <= room.position.version else {
                return end(DevtoolsState.notReached)
            }
            play(search)
        } catch {
            end(DevtoolsState.problem(error.message))
        }
    }

    private func findSnapshot(for playback: any Playback, through offset: UInt64) {
        host.journal.loadSnapshot(of: room.name, through: offset) { [self] result in
            guard !isOver else { return }
            guard case .success(let kept?) = result, kept.offset <= offset else {
                return begin(playback)
            }
            guard kept.version <= playback.start else {
                return findSnapshot(before: kept, for: playback)
            }
            restore(kept, in: playback) { [self] isGood in
                if isGood {
                    startOffset = kept.offset
                    reduce(with: playback, after: kept.offset)
                } else {
                    findSnapshot(before: kept, for: playback)
                }
            }
        }
    }

    private func findSnapshot(before kept: JournalSnapshot, for playback: any Playback) {
        if kept.offset > 0 {
            findSnapshot(for: playback, through: kept.offset - 1)
        } else {
            begin(playback)
        }
    }

    private func restore(
        _ kept: JournalSnapshot, in playback: any Playback,
        completion: @escaping (Bool) -> Void
    ) {
        host.offload({ playback.restore(kept) }) { [self] isGood in
            if !isOver { completion(isGood) }
        }
    }

    private func begin(_ playback: any Playback) {
        playback.begin()
        reduce(with: playback, after: 0)
    }

    /// The journal begins at entry `first`, with a snapshot of what was before.
    private func begin(_ playback: any Playback, before first: UInt64) {
        if let answer = playback.answerToTruncation() { return end(answer) }
        host.journal.loadSnapshot(of: room.name, through: first - 1) { [self] result in
            guard !isOver else { return }
            guard case .success(let kept?) = result else {
                return end(DevtoolsState.problem("The journal no longer has what led to it."))
            }
            restore(kept, in: playback) { [self] isGood in
                if isGood { return reduce(with: playback, after: kept.offset) }
                end(DevtoolsState.problem("The oldest snapshot can't be used."))
            }
        }
    }

    private func reduce(with playback: any Playback, after offset: UInt64) {
        read(
            after: offset, maxEntries: playback.pageEntries,
            truncated: { [self] first in begin(playback, before: first) }
        ) { [self] chunk in
            let (records, isLast) = (chunk.records, chunk.isLast)
            host.offload({ playback.take(records, isLast: isLast) }) { [self] step in
                guard !isOver else { return }
                switch step {
                case .more: reduce(with: playback, after: records.last?.offset ?? offset)
                case .again where startOffset > 0:
                    findSnapshot(for: playback, through: startOffset - 1)
                case .again: begin(playback)
                case .done(let answer): end(answer)
                }
            }
        }
    }

    // MARK: Lines

    private var header: JournalLine { .header(room: room.name, epoch: room.position.epoch) }

    /// The lines are strings in the answer, as not every program reads integers of 64 bits exactly.
    private func readLines(after offset: UInt64, _ lines: [JournalLine]) {
        read(
            after: offset, maxEntries: Self.maxLines,
            truncated: { [self] first in
                readLines(before: first, lines)
            }
        ) { [self] chunk in
            do {
                let entries = chunk.records.map { JournalLine.entry(offset: $0, $1) }
                let texts = try (lines + entries).map { line in
                    JSON.string(String(decoding: try line.bytes().dropLast(), as: UTF8.self))
                }
                let last = chunk.records.last?.offset
                end([
                    "lines": .array(texts),
                    "next": chunk.isLast ? .null : last.map { .uint($0) } ?? .null,
                ])
            } catch {
                end(DevtoolsState.problem("An entry of the journal isn't JSON."))
            }
        }
    }

    /// The journal begins at entry `first`: a snapshot replaces those before it.
    private func readLines(before first: UInt64, _ lines: [JournalLine]) {
        host.journal.loadSnapshot(of: room.name, through: first - 1) { [self] result in
            guard !isOver else { return }
            guard case .success(let kept?) = result, !lines.isEmpty else {
                return end(DevtoolsState.problem("The journal no longer has these entries."))
            }
            readLines(after: kept.offset, [header, .snapshot(kept)])
        }
    }

    // MARK: Reading

    private func read(
        after offset: UInt64, maxEntries: Int, truncated: ((UInt64) -> Void)? = nil,
        _ body: @escaping (JournalChunk) -> Void
    ) {
        _ = JournalChunk(of: room.name, after: offset, maxEntries: maxEntries, in: host.journal) {
            [self] result in
            guard !isOver else { return }
            switch result {
            case .success(let chunk): body(chunk)
            case .failure(.truncated(let first)) where truncated != nil && offset == 0:
                truncated?(first)
            case .failure(.truncated):
                end(DevtoolsState.problem("The journal no longer has what led to it."))
            case .failure(let error):
                host.report("The devtools can't read the journal of '\(room.name)': \(error)")
                end(DevtoolsState.problem("The journal can't be read."))
            }
        }
    }
}

/// Consecutive entries of a room's journal, read up to a number or size, or to the end.
final class JournalChunk {
    typealias Record = (offset: UInt64, record: JournalRecord)

    private static let maxBytes = 4 << 20

    private(set) var records: [Record] = []
    /// Whether the journal has no more of them now.
    private(set) var isLast = false

    private let maxEntries: Int
    private let completion: (Result<JournalChunk, JournalError>) -> Void
    private var bytes = 0
    private var isOver = false
    private var tail: (any JournalTail)?

    /// Begins; `completion` is called once, possibly before this returns.
    init(
        of room: String, after offset: UInt64, maxEntries: Int, in journal: any Journal,
        completion: @escaping (Result<JournalChunk, JournalError>) -> Void
    ) {
        self.maxEntries = maxEntries
        self.completion = completion
        // The tail keeps this object alive until it is over.
        let tail = journal.tail(of: room, after: offset) { event in self.take(event) }
        if isOver { tail.cancel() } else { self.tail = tail }
    }

    private func take(_ event: JournalTailEvent) {
        guard !isOver else { return }
        switch event {
        case .entries(let page):
            for record in page {
                records.append(record)
                bytes += record.record.actions.reduce(0) { $0 + $1.payload.count }
                if records.count >= maxEntries || bytes >= Self.maxBytes {
                    return end(.success(self))
                }
            }
        case .term: break
        case .caughtUp:
            isLast = true
            end(.success(self))
        case .failed(let error): end(.failure(error))
        }
    }

    private func end(_ result: Result<JournalChunk, JournalError>) {
        isOver = true
        tail?.cancel()
        tail = nil
        completion(result)
    }
}
