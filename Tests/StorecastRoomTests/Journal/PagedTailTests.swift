@testable import StorecastRoom
import Testing

/// Logs that are read page by page, as journals with threads of their own do it.
struct PagedTailTests {
    private let log = PagedLog()

    @Test func `who reads a log is told of a page that can't be read, and nothing after that`() {
        log.tail.read()
        log.answer(1...2, isLast: false)
        log.answer(.failure(.damaged("No.")))
        #expect(log.heard == ["1", "2", "No."])
        #expect(log.tail.isOver)
        log.tail.read()
        #expect(log.questions == 0)
    }

    @Test func `who has ended it isn't told of the page that was being read`() {
        log.tail.read()
        log.tail.cancel()
        log.answer(1...2, isLast: false)
        #expect(log.heard.isEmpty)
        #expect(log.questions == 0)
    }

    @Test func `what is appended while a page is being read comes behind it`() {
        log.tail.read()
        for _ in 0..<2 { log.tail.read() }
        #expect(log.questions == 1)
        log.answer(1...2, isLast: true)
        log.answer(3...3, isLast: true)
        #expect(log.heard == ["1", "2", "caught up", "3"])
        #expect(log.questions == 0)
    }
}

/// A log whose pages come when a test says so, and what its reader has heard of it.
private final class PagedLog {
    typealias Page = PagedTail<UInt64>.Page

    private(set) var heard: [String] = []
    private var waiting: [(Result<Page, JournalError>) -> Void] = []
    private(set) lazy var tail = PagedTail<UInt64>(
        from: 0, on: { $0() },
        source: { [unowned self] _, completion in waiting.append(completion) },
        receive: { [unowned self] event in note(event) })

    /// How many pages were asked for and haven't come.
    var questions: Int { waiting.count }

    /// The page that was asked for comes, or doesn't.
    func answer(_ page: Result<Page, JournalError>) {
        if !waiting.isEmpty { waiting.removeFirst()(page) }
    }

    func answer(_ offsets: ClosedRange<UInt64>, isLast: Bool) {
        let record = JournalRecord(
            client: .ada, seq: 1, base: 0, settled: 0, sender: .anonymous,
            time: Timestamp(secondsSince1970: 0), seed: 0, actions: [])
        answer(
            .success(
                Page(
                    entries: offsets.map { (offset: $0, record: record) }, end: offsets.upperBound,
                    isLast: isLast)))
    }

    private func note(_ event: JournalTailEvent) {
        switch event {
        case .entries(let entries): heard += entries.map { "\($0.offset)" }
        case .term(let id): heard.append("term \(id)")
        case .caughtUp: heard.append("caught up")
        case .failed(let error): heard.append("\(error)")
        }
    }
}
