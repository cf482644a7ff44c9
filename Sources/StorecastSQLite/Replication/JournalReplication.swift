import Foundation
import GRDB
package import StorecastRoom
package import StorecastSync

/// Copies a journal's file continuously into a folder, beside the server that writes it.
///
/// Only reads the file, and only for as long as it takes to read one segment, so that the server
/// neither waits nor has to keep its write-ahead log. What can't be written is still in the journal:
/// nothing gathers in memory or in the folder. Its functions block.
package final class JournalReplication {
    /// What a step came to.
    package struct Step {
        /// Whether the replica has all that the journal had when the step began.
        package var isCurrent = false
        /// Whether there is nothing more to do at once; else a generation is being begun.
        package var isDone = false
    }

    package struct Options {
        /// How long generations are kept after the next is complete.
        package var keep: Duration = .seconds(7 * 86_400)
        /// How often a generation is begun.
        package var generation: Duration = .seconds(86_400)
        /// Takes each segment, by its path and its name, in place of the folder.
        package var handOver: ((_ path: String, _ name: String) throws -> Void)?
        /// A segment ends with what makes it larger than this.
        package var segmentBytes = 8 << 20

        package init() {}
    }

    /// A generation that is being written.
    private struct Live {
        let files: ReplicaGeneration
        /// That of its newest segment; nil if it has none.
        var header: ReplicaSegment.Header?
        /// A segment that no command has yet.
        var waiting: ReplicaGeneration.File?

        var ended: (files: ReplicaGeneration, completed: Timestamp?) { (files, header?.completed) }
    }

    /// What a generation gets next.
    private enum Reading {
        case segment(ReplicaSegment, badSnapshots: Int, isCurrent: Bool)
        case nothing
        /// The file is another journal, or an older copy.
        case replaced
    }

    private let path: String
    private let folder: ReplicaFolder
    private let lock: StoreLock
    private let options: Options
    private let say: (String) -> Void
    /// Two while one is being begun: the other goes on until that has all.
    private var live: [Live] = []
    /// When the generations in the folder were complete, the oldest first.
    private var ended: [(files: ReplicaGeneration, completed: Timestamp?)] = []

    /// Goes on with what is in the folder, which is made if there is none.
    ///
    /// - Parameter say: gets what happens, in sentences.
    /// - Throws: `unavailable` if there is no such file, or another process writes to the folder.
    package init(
        of file: String, to folder: String, _ options: Options = Options(),
        say: @escaping (String) -> Void = { _ in }
    ) throws(JournalError) {
        path = StoreFile.canonicalPath(file)
        self.folder = ReplicaFolder(path: StoreFile.canonicalPath(folder))
        self.options = options
        self.say = say
        try JournalFile(path).close()
        mkdir(self.folder.path, 0o700)
        lock = try StoreLock(self.folder.path + "/replica")
        self.folder.removeLeftovers()
        // One that was being begun goes on, and so does the one before it.
        for files in self.folder.generations.reversed() {
            let isNext =
                live.isEmpty && ended.isEmpty
                || live.count == 1 && live[0].header?.completed == nil
            if isNext, let generation = resumed(files) {
                live.insert(generation, at: 0)
            } else {
                let newest = try? files.files.last.map { try files.segment($0) }
                ended.insert((files, newest?.header.completed), at: 0)
            }
        }
    }

    deinit { lock.release() }

    /// The name of the newest generation, and the offset up to which it has everything.
    package var position: (generation: String, offset: UInt64)? {
        live.last.map { ($0.files.name, $0.header?.position.end.offset ?? 0) }
    }

    /// Copies the next segment of each generation that is being written.
    ///
    /// - Throws: if the file can't be read, or the segment not be written or handed over. Nothing
    ///   is lost: the next step tries it again.
    package func step(at now: Timestamp) throws -> Step {
        for index in live.indices { try handOver(&live[index]) }
        beginIfDue(at: now)
        for index in live.indices {
            switch try read(live[index], at: now) {
            case .nothing: break
            case .segment(let segment, let badSnapshots, let isCurrent):
                if badSnapshots > 0 { say("\(badSnapshots) snapshots aren't what was written.") }
                try write(segment, to: &live[index])
                if !isCurrent { return endOfStep(isCurrent: index > 0) }
            case .replaced:
                say("'\(path)' is another journal now, or an older copy. A new generation begins.")
                ended += live.map(\.ended)
                live = []
                return Step()
            }
        }
        while live.count > 1 { ended.append(live.removeFirst().ended) }
        prune(at: now)
        return Step(isCurrent: true, isDone: true)
    }

    private func endOfStep(isCurrent: Bool) -> Step { Step(isCurrent: isCurrent) }

    // MARK: Generations

    /// A generation of the folder to go on with; nil if that can't be.
    private func resumed(_ files: ReplicaGeneration) -> Live? {
        let segments = files.files
        guard let newest = segments.last else { return nil }
        guard options.handOver != nil || segments.count == Int(newest.number) else {
            say("Segments of generation '\(files.name)' are missing. A new one begins.")
            return nil
        }
        do throws(JournalError) {
            let isWaiting = options.handOver != nil && !newest.isHandedOver
            return Live(
                files: files, header: try files.segment(newest).header,
                waiting: isWaiting ? newest : nil)
        } catch {
            say("Generation '\(files.name)' can't go on, and a new one begins: \(error)")
            return nil
        }
    }

    private func beginIfDue(at now: Timestamp) {
        let seconds = options.generation / .seconds(1)
        let isDue = live.first.flatMap(\.header).map {
            live.count == 1 && now.secondsSince1970 - $0.began.secondsSince1970 >= seconds
        }
        if isDue ?? live.isEmpty { live.append(Live(files: folder.next(at: now))) }
    }

    private func prune(at now: Timestamp) {
        let seconds = options.keep / .seconds(1)
        let isOld = { (completed: Timestamp?) in
            completed.map { now.secondsSince1970 - $0.secondsSince1970 >= seconds } ?? false
        }
        let all = ended + live.map(\.ended)
        guard let first = all.lastIndex(where: { isOld($0.completed) }), first > 0 else { return }
        for old in ended.prefix(first) { folder.remove(old.files) }
        ended.removeFirst(min(first, ended.count))
    }

    // MARK: Segments

    private func read(_ live: Live, at now: Timestamp) throws -> Reading {
        // Anew each time, so that a file that was replaced isn't kept open.
        let file = try JournalFile(path)
        defer { file.close() }
        return try file.read { database in
            let last = live.header
            if let last, try !last.position.isFollowed(in: database) { return .replaced }
            let reading = try SegmentReading(
                after: last?.position, bytes: options.segmentBytes, in: database)
            let isNew = last.map { $0.position != reading.position || !reading.records.isEmpty }
            guard isNew ?? true || last?.completed == nil else { return .nothing }
            var header = ReplicaSegment.Header(
                generation: live.files.name, began: last?.began ?? now, completed: last?.completed,
                time: now)
            header.number = (last?.number ?? 0) + 1
            header.start = last?.position.end.offset ?? 0
            header.position = reading.position
            if reading.isCurrent, header.completed == nil { header.completed = now }
            return .segment(
                ReplicaSegment(header, records: reading.records),
                badSnapshots: reading.badSnapshots, isCurrent: reading.isCurrent)
        }
    }

    private func write(_ segment: ReplicaSegment, to live: inout Live) throws {
        let file = try live.files.write(segment)
        live.header = segment.header
        guard options.handOver != nil else { return }
        live.waiting = file
        try handOver(&live)
    }

    private func handOver(_ live: inout Live) throws {
        guard let file = live.waiting, let handOver = options.handOver else { return }
        try handOver("\(live.files.path)/\(file.name)", "\(live.files.name)/\(file.name)")
        try live.files.markHandedOver(file)
        live.waiting = nil
    }
}
