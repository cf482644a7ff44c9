import StorecastServer
import StorecastRoom
import StorecastSync
import StorecastWire

/// A journal's text that a developer has brought, to be reduced by a room of this server.
struct ImportedLog: Sendable {
    /// The room whose log it is.
    var room = ""
    /// What its history begins with, if not with nothing.
    private(set) var snapshot: JournalSnapshot?
    private(set) var records: [JournalChunk.Record] = []

    /// Reads JSON Lines in UTF-8; throws a sentence that names the line that is wrong.
    init(_ text: [UInt8]) throws(JournalLineError) {
        var isBegun = false
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in zip(1..., lines) where !line.isEmpty {
            do throws(JournalLineError) {
                try take(JournalLine(line), isFirst: !isBegun)
                isBegun = true
            } catch {
                throw JournalLineError("Line \(number): \(error)")
            }
        }
        if !isBegun { throw JournalLineError("The text is empty.") }
    }

    private mutating func take(
        _ line: JournalLine, isFirst: Bool
    ) throws(JournalLineError) {
        switch line {
        case .header(let room, _) where isFirst: self.room = room
        case _ where isFirst:
            throw JournalLineError("A journal's text begins with its header.")
        case .header: throw JournalLineError("A second header: these are two journals.")
        case .entry(let offset, let record):
            guard offset > records.last?.offset ?? snapshot?.offset ?? 0 else {
                throw JournalLineError("The offset isn't above that of the entry before.")
            }
            records.append((offset, record))
        // Only the first is needed; that the others agree `storecast journal verify` says.
        case .snapshot(let kept): if records.isEmpty { snapshot = kept }
        }
    }
}

/// The logs that developers have brought, as long as the devtools' room is open.
struct ImportShelf {
    static let mostLogs = 4
    static let mostBytes = 16 << 20

    /// The text of a log that is still coming; an object, so that no piece copies those before it.
    private final class Text {
        var bytes: [UInt8] = []
    }

    private enum Content {
        case text(Text)
        case log(ImportedLog, any RoomDefinitionProtocol, bytes: Int)

        var bytes: Int {
            switch self {
            case .text(let text): text.bytes.count
            case .log(_, _, let bytes): bytes
            }
        }
    }

    /// The one that was begun last at the end.
    private var logs: [(id: ExactString, content: Content)] = []

    /// Takes a piece of a log's text; the oldest logs make room for it.
    ///
    /// - Returns: the whole text with the last piece; else nil.
    mutating func take(_ action: ImportAction) throws(Rejection) -> [UInt8]? {
        let id = ExactString(action.id)
        let text: Text
        switch logs.first(where: { $0.id == id })?.content {
        case .text(let known): text = known
        case .log: throw Rejection(.conflict, "This log is already whole.")
        case nil:
            text = Text()
            logs.append((id, .text(text)))
        }
        text.bytes += action.text.utf8
        guard text.bytes.count <= Self.mostBytes else {
            throw Rejection(
                .tooLarge, "A log that is imported has at most \(Self.mostBytes >> 20) MiB.")
        }
        while logs.count > Self.mostLogs || bytes > Self.mostBytes { logs.removeFirst() }
        guard logs.contains(where: { $0.id == id }) else {
            throw Rejection(.conflict, "This log has made room for others.")
        }
        return action.isLast == true ? text.bytes : nil
    }

    /// The text was read. Without effect if it had to make room for others.
    mutating func read(
        _ log: ImportedLog, as definition: any RoomDefinitionProtocol, _ id: ExactString
    ) {
        guard let place = logs.firstIndex(where: { $0.id == id }) else { return }
        logs[place].content = .log(log, definition, bytes: logs[place].content.bytes)
    }

    mutating func forget(_ id: ExactString) { logs.removeAll { $0.id == id } }

    func log(_ id: ExactString) -> (log: ImportedLog, definition: any RoomDefinitionProtocol)? {
        guard case .log(let log, let definition, _)? = logs.first(where: { $0.id == id })?.content
        else { return nil }
        return (log, definition)
    }

    private var bytes: Int { logs.reduce(0) { $0 + $1.content.bytes } }
}

/// Answers one question about an imported log's past, as ``HistoryReader`` does of a room.
final class ImportReader: PastReader {
    let question: DevtoolsQuestion
    private unowned let host: any ExtensionHost
    private let log: ImportedLog
    private let definition: any RoomDefinitionProtocol
    private let limits: SyncLimits
    private let completion: (JSON) -> Void
    private(set) var isOver = false

    init(
        _ question: DevtoolsQuestion, _ log: ImportedLog,
        _ definition: any RoomDefinitionProtocol, _ limits: SyncLimits,
        on host: any ExtensionHost, completion: @escaping (JSON) -> Void
    ) {
        self.question = question
        self.log = log
        self.definition = definition
        self.limits = limits
        self.host = host
        self.completion = completion
    }

    func begin() {
        do throws(JSONPointerError) {
            guard let playback = try makePlayback() else { return end(.null) }
            play(playback)
        } catch {
            end(DevtoolsState.problem(error.message))
        }
    }

    func cancel() { isOver = true }

    private func makePlayback() throws(JSONPointerError) -> (any Playback)? {
        switch question {
        case .importedAt(let parameters):
            HistoryPlayback(definition, limits, at: parameters.asked)
        case .importedChange(let parameters):
            try HistorySearch(definition, limits, change: parameters.asked)
        case .importedFirst(let parameters):
            try HistorySearch(definition, limits, first: parameters.asked)
        case .importedOutcomes: OutcomePlayback(definition, limits, through: nil)
        default: nil
        }
    }

    private func play(_ playback: any Playback) {
        guard let snapshot = log.snapshot else { return reduce(with: playback, from: 0) }
        if snapshot.version > playback.start, let answer = playback.answerToTruncation() {
            return end(answer)
        }
        host.offload({ playback.restore(snapshot) }) { [self] isGood in
            guard !isOver else { return }
            if isGood { return reduce(with: playback, from: 0) }
            end(DevtoolsState.problem("The snapshot that the log begins with can't be used."))
        }
    }

    private func reduce(with playback: any Playback, from first: Int) {
        let rest = log.records[first...]
        let records = Array(rest.prefix(playback.pageEntries))
        let isLast = records.count == rest.count
        host.offload({ playback.take(records, isLast: isLast) }) { [self] step in
            guard !isOver else { return }
            switch step {
            case .more: reduce(with: playback, from: first + records.count)
            // There is nothing before what the log begins with.
            case .again: end(playback.answerToTruncation() ?? .null)
            case .done(let answer): end(answer)
            }
        }
    }

    private func end(_ answer: JSON) {
        guard !isOver else { return }
        isOver = true
        completion(answer)
    }
}
