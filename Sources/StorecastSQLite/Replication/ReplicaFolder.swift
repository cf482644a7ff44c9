import Foundation
import StorecastRoom
import StorecastSync

/// The folder of a replica: a folder for each generation, in which its segments are files.
struct ReplicaFolder {
    let path: String

    /// The generations, the oldest first.
    var generations: [ReplicaGeneration] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.first?.isNumber == true && !$0.hasSuffix(Self.removed) }.sorted()
            .map { ReplicaGeneration(folder: path, name: $0) }
    }

    /// A generation that isn't there yet, and comes after all that are.
    func next(at time: Timestamp) -> ReplicaGeneration {
        let date = Date(timeIntervalSince1970: time.secondsSince1970)
        var name = date.formatted(
            .iso8601.year().month().day().dateSeparator(.omitted).time(
                includingFractionalSeconds: false
            )
            .timeSeparator(.omitted))
        if let newest = generations.last?.name, name <= newest { name = newest + "-2" }
        return ReplicaGeneration(folder: path, name: name)
    }

    /// Removes a generation; one that was removed in part isn't taken for one any more.
    func remove(_ generation: ReplicaGeneration) {
        rename(generation.path, generation.path + Self.removed)
        removeLeftovers()
    }

    /// Removes what interrupted removals left.
    func removeLeftovers() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where name.hasSuffix(Self.removed) {
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
    }

    private static let removed = "-removed"
}

/// The files of a generation.
struct ReplicaGeneration: Equatable {
    /// A file with a segment.
    struct File: Equatable {
        var number: UInt64
        var name: String
        /// Whether a command has it, and it only says how far the generation has come.
        var isHandedOver: Bool { name.hasSuffix(ReplicaGeneration.handedOver) }
    }

    let folder: String
    let name: String

    var path: String { "\(folder)/\(name)" }

    /// The segments, in order.
    var files: [File] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.compactMap { name in
            guard name.hasSuffix(Self.suffix) || name.hasSuffix(Self.handedOver) else { return nil }
            return UInt64(name.prefix { $0 != "." }).map { File(number: $0, name: name) }
        }.sorted { $0.number < $1.number }
    }

    /// Reads a segment. Throws `damaged` if it isn't what was written as this one.
    func segment(_ file: File) throws(JournalError) -> ReplicaSegment {
        let path = "\(path)/\(file.name)"
        do {
            let segment = try ReplicaSegment([UInt8](Data(contentsOf: URL(filePath: path))))
            let header = segment.header
            if header.generation == name, header.number == file.number { return segment }
            throw JournalError.damaged(
                "'\(path)' is segment \(header.number) of generation '\(header.generation)', under "
                    + "a wrong name.")
        } catch let error as JournalError {
            throw error
        } catch is SegmentReader.Broken {
            throw .damaged("'\(path)' isn't what was written, or is of a later version.")
        } catch {
            throw .unavailable("'\(path)' can't be read: \(error.localizedDescription)")
        }
    }

    /// Writes the next segment: whole and durable, or not at all.
    ///
    /// Throws `unavailable` if it can't be written, or there is one with the number.
    func write(_ segment: ReplicaSegment) throws(JournalError) -> File {
        let digits = String(segment.header.number)
        let name = String(repeating: "0", count: max(0, 10 - digits.count)) + digits + Self.suffix
        let file = "\(path)/\(name)"
        try make()
        guard !StoreFile.exists(file) else {
            throw .unavailable(
                "'\(file)' is there already: something else writes to this folder. Choose another "
                    + "folder for one of the two.")
        }
        let unfinished = file + "-unfinished"
        do throws(JournalError) {
            try Self.write(segment.bytes, to: unfinished)
            try KeptFile.move(unfinished, to: file)
        } catch {
            unlink(unfinished)
            throw error
        }
        return File(number: segment.header.number, name: name)
    }

    /// Notes that a command has a segment, and that nothing before it is needed here.
    func markHandedOver(_ file: File) throws(JournalError) {
        let earlier = files.filter(\.isHandedOver)
        let name = file.name.dropLast(Self.suffix.count) + Self.handedOver
        try KeptFile.move("\(path)/\(file.name)", to: "\(path)/\(name)")
        for file in earlier { unlink("\(path)/\(file.name)") }
    }

    private func make() throws(JournalError) {
        for folder in [folder, path] where mkdir(folder, 0o700) == 0 {
            StoreFile.syncDirectory(of: folder)
        }
    }

    private static let suffix = ".segment"
    private static let handedOver = ".handed-over"

    private static func write(_ bytes: [UInt8], to path: String) throws(JournalError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { if descriptor >= 0 { close(descriptor) } }
        var rest = bytes[...]
        while descriptor >= 0, !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count >= 0 || errno == EINTR else { break }
            rest = rest.dropFirst(max(count, 0))
        }
        guard descriptor >= 0, rest.isEmpty, fsync(descriptor) == 0 else {
            throw .unavailable("'\(path)' can't be written: \(String(cString: strerror(errno))).")
        }
    }
}
