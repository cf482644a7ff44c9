import StorecastSQLite
import StorecastRoom

/// Reads the lines of a room's journal into a file.
struct JournalTextImport {
    /// What the room is called in the file.
    private(set) var room = ""
    private(set) var entries = 0
    private let addition: JournalAddition
    private let name: String?
    private var isBegun = false

    /// - Parameter name: what the room is to be called; nil for what the text calls it.
    init(to addition: JournalAddition, as name: String?) {
        self.addition = addition
        self.name = name
    }

    /// Takes the next line, without its end.
    mutating func take(_ text: ArraySlice<UInt8>, number: Int) throws {
        do {
            if !text.isEmpty { try take(try JournalLine(text)) }
        } catch let error as JournalLineError {
            throw Self.failure(number, error.description)
        } catch JournalError.unfit(_, let problem) {
            throw Self.failure(number, problem)
        }
    }

    /// There are no more lines.
    func end() throws(CommandFailure) {
        if entries == 0 { throw CommandFailure(.trouble, "The text has no entries.") }
    }

    mutating func take(_ line: JournalLine) throws {
        switch line {
        case .header(let room, _):
            guard !isBegun else {
                throw JournalError.unfit(place: 0, "A second header: these are two journals.")
            }
            isBegun = true
            self.room = name ?? room
            try addition.begin(self.room)
        case _ where !isBegun:
            throw JournalError.unfit(place: 0, "A journal's text begins with its header.")
        case .entry(let offset, let record):
            try addition.add(record, at: offset)
            entries += 1
        case .snapshot(let snapshot): try addition.add(snapshot)
        }
    }

    private static func failure(_ number: Int, _ problem: String) -> CommandFailure {
        CommandFailure(.trouble, "Line \(number): \(problem) Nothing was imported.")
    }
}
