import StorecastSQLite
import StorecastSync

/// Prints a room's entries, as a command was asked to, and later those that came meanwhile.
struct LogPrinter {
    private let command: JournalLogCommand
    private var traveller: RoomTraveller
    private var printed = 0
    private var hasWarned = false
    /// Whether nothing that comes is wanted.
    private(set) var isOver = false

    private var options: LogOptions { command.options }

    init(of room: RecordedRoom, _ command: JournalLogCommand) throws {
        self.command = command
        let place = try Self.start(in: room, command)
        traveller = try RoomTraveller(room, near: place)
        try traveller.go(to: place)
    }

    private static func start(
        in room: RecordedRoom, _ command: JournalLogCommand
    ) throws -> RoomTraveller.Place {
        if let from = command.options.from { return .version(max(from, 1) - 1) }
        guard let last = command.last else { return .offset(command.options.after ?? 0) }
        return .offset(try room.file.offset(beforeLast: last, of: room.name))
    }

    /// Prints what is there.
    mutating func printNew(to write: (String) -> Void) throws {
        while !isOver, printed < options.limit ?? .max, let next = try traveller.next() {
            if options.needsVersions, let problem = traveller.problem { throw problem }
            isOver = options.isTooLate(next)
            guard !isOver, options.isWanted(next) else { continue }
            if next.replayed == nil { warn() }
            write(command.json ? "\(try next.json)" : EntryText(inUTC: command.utc).text(next))
            printed += 1
        }
        isOver = isOver || printed >= options.limit ?? .max
    }

    private mutating func warn() {
        guard !hasWarned, let problem = traveller.problem else { return }
        hasWarned = true
        StandardError.write("Versions and outcomes aren't known. \(problem)")
    }
}
