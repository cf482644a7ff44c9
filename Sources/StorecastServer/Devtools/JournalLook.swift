import StorecastRoom
import StorecastWire

/// Looks up one answer in a room's journal, beside the room and without touching it.
///
/// Belongs to the room's loop, which reads a chunk of the journal at a time; what is in it is
/// reduced on another thread.
final class JournalLook {
    private static let chunk = 2000
    private static let linesPage = 500

    let question: DevtoolsQuestion
    private unowned let core: ServerLoopCore
    private let room: any AnyRoom
    private let completion: (JSON) -> Void
    private(set) var isOver = false

    init(
        _ question: DevtoolsQuestion, _ room: any AnyRoom, in core: ServerLoopCore,
        completion: @escaping (JSON) -> Void
    ) {
        self.question = question
        self.room = room
        self.core = core
        self.completion = completion
    }

    func begin() {
        guard let definition = core.configuration.rooms(room.name) else {
            return end(JournalPlayer.problem("There is no such room any more."))
        }
        switch question {
        case .stateAt(let place): play(JournalPlayer(definition, room.limits, at: place))
        case .history(let place): play(JournalPlayer(definition, room.limits, history: place))
        case .lines(let place) where place.after == 0: readLines(after: 0, [header])
        case .lines(let place): readLines(after: place.after, [])
        default: end(.null)
        }
    }

    /// Nobody wants to know any more.
    func cancel() { isOver = true }

    private func end(_ answer: JSON) {
        guard !isOver else { return }
        isOver = true
        completion(answer)
    }

    // MARK: States

    private func play(_ player: JournalPlayer) {
        guard player.start <= room.position.version else {
            return end(JournalPlayer.problem("The room hasn't come to this version."))
        }
        findSnapshot(for: player, through: UInt64(Int64.max))
    }

    private func findSnapshot(for player: JournalPlayer, through offset: UInt64) {
        core.journal.loadSnapshot(of: room.name, through: offset) { [self] result in
            guard !isOver else { return }
            guard case .success(let kept?) = result, kept.offset <= offset else {
                return reduce(with: player, after: 0)
            }
            guard kept.version <= player.start else { return lookBefore(kept, for: player) }
            core.offload({ player.restore(kept) }) { [self] isGood in
                if isGood {
                    reduce(with: player, after: kept.offset)
                } else {
                    lookBefore(kept, for: player)
                }
            }
        }
    }

    private func lookBefore(_ kept: JournalSnapshot, for player: JournalPlayer) {
        if kept.offset > 1 {
            findSnapshot(for: player, through: kept.offset - 1)
        } else {
            reduce(with: player, after: 0)
        }
    }

    private func reduce(with player: JournalPlayer, after offset: UInt64) {
        read(after: offset, most: Self.chunk) { [self] chunk in
            let (records, isLast) = (chunk.records, chunk.isLast)
            core.offload({ player.take(records, isLast: isLast) }) { [self] step in
                switch step {
                case .more: reduce(with: player, after: records.last?.offset ?? offset)
                case .done(let answer): end(answer)
                }
            }
        }
    }

    // MARK: Lines

    private var header: JournalLine { .header(room: room.name, epoch: room.position.epoch) }

    /// The answer is the lines as texts, as not every program reads integers of 64 bits exactly.
    private func readLines(after offset: UInt64, _ lines: [JournalLine]) {
        read(
            after: offset, most: Self.linesPage,
            truncated: { [self] first in
                beginLines(before: first, lines)
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
                end(JournalPlayer.problem("An entry of the journal isn't JSON."))
            }
        }
    }

    /// The journal's first entries are forgotten: a snapshot stands for them.
    private func beginLines(before first: UInt64, _ lines: [JournalLine]) {
        core.journal.loadSnapshot(of: room.name, through: first - 1) { [self] result in
            guard case .success(let kept?) = result, !lines.isEmpty else {
                return end(JournalPlayer.problem("The journal no longer has these entries."))
            }
            readLines(after: kept.offset, [header, .snapshot(kept)])
        }
    }

    // MARK: Reading

    private func read(
        after offset: UInt64, most: Int, truncated: ((UInt64) -> Void)? = nil,
        _ body: @escaping (JournalChunk) -> Void
    ) {
        _ = JournalChunk(of: room.name, after: offset, most: most, in: core.journal) {
            [self] result in
            guard !isOver else { return }
            switch result {
            case .success(let chunk): body(chunk)
            case .failure(.truncated(let first)) where truncated != nil && offset == 0:
                truncated?(first)
            case .failure(.truncated):
                end(JournalPlayer.problem("The journal no longer has what led to it."))
            case .failure(let error):
                core.report("The devtools can't read the journal of '\(room.name)': \(error)")
                end(JournalPlayer.problem("The journal can't be read."))
            }
        }
    }
}
