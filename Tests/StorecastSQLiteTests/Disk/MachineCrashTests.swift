import Foundation
import StorecastTesting
import TestSupport
import Testing
@testable import StorecastSQLite

/// A machine that crashes between any two writes of a run, with a disk that keeps what was synced
/// and any part of the rest.
@MainActor @Suite(.oneAtATime) struct MachineCrashTests {
    /// TEST_CRASHES=20 has every place crash twenty times at least. Without it every fifth does
    /// once, and others in each further round.
    private static let crashesAtEach =
        ProcessInfo.processInfo.environment["TEST_CRASHES"].flatMap { Int($0) }

    @Test(.timeLimit(.minutes(30)))
    func `what was acknowledged is there after a crash of the machine, and no batch in part`()
        async throws
    {
        try await crashEverywhere(.machine) { $0.isSafe }
    }

    @Test(.timeLimit(.minutes(30)))
    func `what is less durable may be gone, and then the epoch is another`() async throws {
        // Nothing happens there between the last write of a batch and its acknowledgement.
        try await crashEverywhere(.process) { $0 != .moreThanAcknowledged }
    }

    /// Crashes a run at each place, and expects that this leaves all that is possible and no more.
    private func crashEverywhere(
        _ durability: SQLiteDurability, isPossible: (Mixture) -> Bool
    ) async throws {
        let directory = try TemporaryDirectory()
        let disk = FaultyDisk(under: directory.file("run.sqlite"))
        defer { disk.remove() }
        disk.record()
        var run = try await CrashedRun(at: directory.file("run.sqlite"), on: disk, durability)
        let (operations, acks) = disk.recording
        #expect(operations.count > 100, "The run is worth it.")
        var counts = Mixture.Counts()
        func crash(at place: Int, _ comment: Comment, _ image: CrashImage) async throws {
            let acked = acks.last { $0.place <= place }.map { run.acked[$0.note] } ?? [:]
            let left = try await run.restart(on: image, comment)
            for (room, left) in left where (left.last ?? 0) < acked[room]?.last ?? 0 {
                #expect(durability == .process, comment)
                #expect(!left.isSameEpoch, comment)
            }
            counts.add(left, acked, image)
        }
        let others = CrashImage.Keeping.allCases.filter { $0 != .oldest }
        // Before there is a write-ahead log, SQLite has a rollback journal, which isn't recorded.
        let places = try #require(operations.firstIndex { $0.file == .log })...operations.count
        var round = 0
        // What is rare may take another round.
        let stride = Self.crashesAtEach == nil ? 5 : 1
        while round < Self.crashesAtEach ?? 1 || round < 10 && !counts.reach(isPossible) {
            for place in places where (place + round) % stride == 0 {
                let number = place + round * operations.count
                // The likeliest is every second one.
                let keeping = number % 2 == 0 ? .oldest : others[number / 2 % others.count]
                var random = SeededGenerator(seed: UInt64(number))
                let image = CrashImage(of: operations[..<place], keeping: keeping, &random)
                try await crash(at: place, "place \(place), round \(round), \(keeping)", image)
            }
            round += 1
        }
        counts.expect(isPossible)
    }
}

/// What a crash may leave. Each of them has to occur in the tests above, or they show nothing.
private enum Mixture: String, CaseIterable {
    /// How many crashes left each of them.
    struct Counts {
        private var counts: [Mixture: Int] = [:]

        mutating func add(
            _ left: CrashedRun.Rooms, _ acked: CrashedRun.Rooms, _ image: CrashImage
        ) {
            for mixture in allCases where mixture.describes(left, acked, image) {
                counts[mixture, default: 0] += 1
            }
        }

        func reach(_ isPossible: (Mixture) -> Bool) -> Bool {
            allCases.allSatisfy { !isPossible($0) || counts[$0] != nil }
        }

        /// Expects that these occurred, and no others.
        func expect(_ isPossible: (Mixture) -> Bool) {
            let text = allCases.map { "\($0.rawValue): \(counts[$0] ?? 0)" }
            for mixture in allCases {
                #expect(
                    (counts[mixture] ?? 0 > 0) == isPossible(mixture),
                    "\(mixture.rawValue) of \(text)")
            }
        }
    }

    case nothingLost
    /// A batch is there that wasn't acknowledged.
    case moreThanAcknowledged
    /// A room has its oldest entries, and lacks the newest.
    case newestEntriesLost
    /// A room is known, and has no entries any more.
    case onlyRoomKept
    case roomLost
    /// A room lacks entries, and another has all of its own.
    case oneOfTwoRooms
    /// The entries are there, and the snapshot of them isn't.
    case entriesWithoutSnapshot
    /// The snapshot is there, and the entries that were forgotten after it, too.
    case snapshotWithoutTruncation
    /// The write-ahead log is there, and the main file lacks all writes since the last sync.
    case logWithoutMain
    /// The other way round.
    case mainWithoutLog
    case logInPart
    case mainInPart
    case epochKept
    case epochRenewed

    /// Whether it may be left of what was acknowledged as durable.
    var isSafe: Bool {
        switch self {
        case .nothingLost, .moreThanAcknowledged, .logWithoutMain, .mainWithoutLog, .logInPart,
            .mainInPart, .epochKept:
            true
        default: false
        }
    }

    func describes(
        _ left: CrashedRun.Rooms, _ acked: CrashedRun.Rooms, _ image: CrashImage
    ) -> Bool {
        let rooms = acked.filter { $1.last ?? 0 > 0 }.map { room, acked in
            (left: left[room] ?? CrashedRun.Room(), acked: acked)
        }
        let (main, log) = (image.fates[.main], image.fates[.log])
        return switch self {
        case .nothingLost: !rooms.isEmpty && rooms.allSatisfy { $0.left.has($0.acked) }
        case .moreThanAcknowledged: rooms.contains { $0.left.last ?? 0 > $0.acked.last ?? 0 }
        case .newestEntriesLost:
            rooms.contains { $0.left.last ?? 0 > 0 && !$0.left.hasEntries(of: $0.acked) }
        case .onlyRoomKept: rooms.contains { $0.left.last == 0 }
        case .roomLost: rooms.contains { $0.left.last == nil }
        case .oneOfTwoRooms:
            rooms.contains { $0.left.hasEntries(of: $0.acked) }
                && rooms.contains { !$0.left.hasEntries(of: $0.acked) }
        case .entriesWithoutSnapshot:
            rooms.contains { room in
                room.left.hasEntries(of: room.acked) && !room.left.hasSnapshot(of: room.acked)
            }
        case .snapshotWithoutTruncation:
            rooms.contains { room in
                room.left.hasSnapshot(of: room.acked) && room.left.floor < room.acked.floor
            }
        case .logWithoutMain: main == .lost && (log == .kept || log == .synced)
        case .mainWithoutLog: log == .lost && (main == .kept || main == .synced)
        case .logInPart: log == .keptInPart
        case .mainInPart: main == .keptInPart
        case .epochKept: rooms.contains { $0.left.isSameEpoch }
        case .epochRenewed: rooms.contains { !$0.left.isSameEpoch }
        }
    }
}
