extension RoomReplay {
    /// Goes through a journal as `storecast journal export` writes it: JSON Lines, a header first.
    ///
    /// Entries are reduced. A snapshot before all entries is where the history begins; of each
    /// later one the state must be that which the replay has come to. Line ends may have a carriage
    /// return. Complexity: linear, and the size of the state at each snapshot.
    public func read(_ text: some StringProtocol) throws(JournalTextError) {
        try read(Array(text.utf8))
    }

    /// As ``read(_:)-(StringProtocol)``, of UTF-8.
    public func read(_ text: [UInt8]) throws(JournalTextError) {
        try read(text) { record, offset in try reduce(record, at: offset) }
    }

    /// As ``read(_:)-([UInt8])``, with a closure that reduces each entry.
    package func read(
        _ text: [UInt8], reducing reduce: (JournalRecord, UInt64) throws -> Void
    ) throws(JournalTextError) {
        var isBegun = false
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in zip(1..., lines) where !line.isEmpty {
            do {
                let line = try JournalLine(line)
                if case .header = line, !isBegun {
                    isBegun = true
                } else if isBegun {
                    try take(line, reduce)
                } else {
                    throw JournalLineError("A journal's text begins with its header.")
                }
            } catch {
                throw JournalTextError(line: number, "\(error)")
            }
        }
        if !isBegun { throw JournalTextError(line: 1, "The text is empty.") }
    }

    private func take(
        _ line: JournalLine, _ reduce: (JournalRecord, UInt64) throws -> Void
    ) throws {
        switch line {
        case .header: throw JournalLineError("A second header: these are two journals.")
        case .entry(let offset, let record):
            guard offset > self.offset else {
                throw JournalLineError("The offset isn't above that of the entry before.")
            }
            try reduce(record, offset)
        case .snapshot(let snapshot) where offset == 0: try restore(snapshot)
        case .snapshot(let snapshot):
            guard snapshot.offset == offset else {
                throw JournalLineError("The snapshot doesn't belong behind offset \(offset).")
            }
            guard try agrees(with: snapshot) else {
                throw JournalLineError("The snapshot's state isn't what the entries lead to.")
            }
        }
    }
}

/// What is wrong with a text of a journal's lines, and where.
public struct JournalTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which line it is, counted from 1.
    public let line: Int
    /// What is wrong with it, in a sentence.
    public let problem: String

    /// The line and the problem.
    public var description: String { "Line \(line): \(problem)" }

    init(line: Int, _ problem: String) {
        self.line = line
        self.problem = problem
    }
}
