import StorecastWire

/// Reads the entries of a room page by page, and then those that are appended, for journals that
/// have threads of their own. Belongs to its journal's loop.
package final class PagedTail<Place: Sendable>: JournalTail {
    /// Some entries that follow one another.
    package struct Page: Sendable {
        package var entries: [(offset: UInt64, record: JournalRecord)]
        /// The terms that begin in it, each before the entry at this place of ``entries``.
        package var terms: [(id: String, place: Int)]
        /// Where the next page begins.
        package var end: Place
        /// Whether there were no more entries.
        package var isLast: Bool

        package init(
            entries: [(offset: UInt64, record: JournalRecord)],
            terms: [(id: String, place: Int)] = [], end: Place, isLast: Bool
        ) {
            self.entries = entries
            self.terms = terms
            self.end = end
            self.isLast = isLast
        }
    }

    /// Reads a page elsewhere; calls back once, from any thread.
    package typealias Source = (
        _ start: Place, _ completion: @escaping @Sendable (Result<Page, JournalError>) -> Void
    ) -> Void

    private let source: Source
    private let loop: JournalLoop
    private var receive: ((JournalTailEvent) -> Void)?
    private var place: Place
    private var isReading = false
    /// Something was appended while a page was being read.
    private var hasMore = false
    private var isCaughtUp = false

    package var isOver: Bool { receive == nil }

    package init(
        from place: Place, on loop: @escaping JournalLoop, source: @escaping Source,
        receive: @escaping (JournalTailEvent) -> Void
    ) {
        self.place = place
        self.loop = loop
        self.source = source
        self.receive = receive
    }

    package func cancel() { receive = nil }

    /// Reads on, unless a page is being read already.
    package func read() {
        guard !isOver else { return }
        hasMore = isReading
        guard !isReading else { return }
        isReading = true
        let callback = LoopCallback(loop) { [self] in take($0) }
        source(place) { callback.call($0) }
    }

    private func take(_ page: Result<Page, JournalError>) {
        guard !isOver else { return }
        switch page {
        case .success(let page):
            place = page.end
            var start = 0
            for (term, place) in page.terms {
                if start < place { receive?(.entries(Array(page.entries[start..<place]))) }
                receive?(.term(term))
                start = place
            }
            if start < page.entries.count {
                receive?(.entries(start == 0 ? page.entries : Array(page.entries[start...])))
            }
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

/// The tails of a loop's rooms, which read on when something is appended.
package struct PagedTails<Place: Sendable> {
    private var tails: [ExactString: [PagedTail<Place>]] = [:]

    package init() {}

    /// Adds one, and begins to read.
    package mutating func add(_ tail: PagedTail<Place>, of room: String) {
        tails[ExactString(room), default: []].removeAll(where: \.isOver)
        tails[ExactString(room), default: []].append(tail)
        tail.read()
    }

    /// Something was appended to the room.
    package mutating func grown(_ room: String) {
        guard var following = tails[ExactString(room)] else { return }
        following.removeAll(where: \.isOver)
        tails[ExactString(room)] = following.isEmpty ? nil : following
        for tail in following { tail.read() }
    }
}

/// A closure that belongs to a loop, passes through other threads, and is called once, on the loop.
///
/// Unchecked, because the compiler can't see the rule that makes it safe: the closure is created,
/// called and released on the loop only.
package final class LoopCallback<Value: Sendable>: @unchecked Sendable {
    private let loop: JournalLoop
    private var body: ((Value) -> Void)?

    package init(_ loop: @escaping JournalLoop, _ body: @escaping (Value) -> Void) {
        self.loop = loop
        self.body = body
    }

    /// Calls the closure on the loop. To be used once, from any thread.
    package func call(_ value: Value) {
        loop {
            let body = self.body
            self.body = nil
            body?(value)
        }
    }
}
