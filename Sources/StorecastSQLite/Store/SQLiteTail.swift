import StorecastRoom

/// Reads the entries of a room page by page, and then those that are appended. Belongs to its
/// journal's loop.
final class SQLiteTail: JournalTail {
    private let room: String
    private let store: SQLiteStore
    private let loop: JournalLoop
    private var receive: ((JournalTailEvent) -> Void)?
    private var start: LogPage.Start
    private var isReading = false
    /// Something was appended while a page was being read.
    private var hasMore = false
    private var isCaughtUp = false

    var isOver: Bool { receive == nil }

    init(
        of room: String, after: UInt64, in store: SQLiteStore, on loop: @escaping JournalLoop,
        _ receive: @escaping (JournalTailEvent) -> Void
    ) {
        self.room = room
        self.store = store
        self.loop = loop
        self.receive = receive
        start = .offset(after)
    }

    func cancel() { receive = nil }

    /// Reads on, unless a page is being read already.
    func read() {
        guard !isOver else { return }
        hasMore = isReading
        guard !isReading else { return }
        isReading = true
        let callback = LoopCallback(loop) { [self] in take($0) }
        store.read { [room, start] database in
            try LogPage(of: room, from: start, in: database)
        } completion: {
            callback.call($0)
        }
    }

    private func take(_ page: Result<LogPage, JournalError>) {
        guard !isOver else { return }
        switch page {
        case .success(let page):
            start = .entry(page.end)
            if !page.entries.isEmpty { receive?(.entries(page.entries)) }
            if page.isLast, !isCaughtUp {
                isCaughtUp = true
                receive?(.caughtUp)
            }
            isReading = false
            if !page.isLast || hasMore { read() }
        case .failure(let error):
            let receive = receive
            cancel()
            receive?(.failed(error))
        }
    }
}
