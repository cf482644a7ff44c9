import Foundation
import StorecastRoom
import Synchronization

/// A file beside the journal that tells after a crash which entries were being reduced, and how
/// many times in a row.
///
/// It has a slot for each suspected entry, then one for each loop. An orderly close removes it.
final class ReducingFile: Sendable {
    /// What opening it found: for each room the last entry whose reducing ended the process.
    let suspects: [ReducingSlot.Note]
    private let path: String
    private let descriptor: Int32
    private let history: UInt64
    private let slots: Mutex<Int>

    /// Opens it, or makes one, and counts the crashes since then.
    init(beside file: String, of history: StoreHistory) throws(JournalError) {
        path = file + "-reducing"
        self.history = history.seed
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unavailable("'\(path)' can't be made: \(String(cString: strerror(errno))).")
        }
        suspects = Self.count(Self.notes(in: descriptor, path, history.seed))
        ftruncate(descriptor, 0)
        for (index, suspect) in suspects.enumerated() {
            let bytes = suspect.bytes(history: history.seed)
            _ = pwrite(descriptor, bytes, bytes.count, off_t(index * ReducingSlot.stride))
        }
        slots = Mutex(suspects.count)
    }

    deinit { close(descriptor) }

    /// A slot for another loop.
    func slot() -> ReducingSlot {
        let index = slots.withLock { count in
            defer { count += 1 }
            return count
        }
        return ReducingSlot(in: descriptor, at: index * ReducingSlot.stride, history: history)
    }

    /// A suspected entry was reduced after all, or won't be reduced any more.
    func acquit(_ suspect: ReducingSlot.Note) {
        guard let index = suspects.firstIndex(of: suspect) else { return }
        var none: UInt64 = 0
        _ = pwrite(descriptor, &none, 8, off_t(index * ReducingSlot.stride))
    }

    /// For an orderly end, when nothing is being reduced.
    func remove() { unlink(path) }

    private static func notes(
        in descriptor: Int32, _ path: String, _ history: UInt64
    ) -> [ReducingSlot.Note] {
        stride(from: 0, to: StoreFile.size(path), by: ReducingSlot.stride).compactMap { place in
            ReducingSlot.Note(in: descriptor, at: place, history: history)
        }
    }

    /// The earlier suspects, and the entries that were being reduced when the process ended.
    private static func count(_ notes: [ReducingSlot.Note]) -> [ReducingSlot.Note] {
        var suspects = notes.filter { $0.crashes > 0 }
        for var crash in notes where crash.crashes == 0 {
            crash.crashes = 1
            let known = suspects.firstIndex { $0.room.utf8.elementsEqual(crash.room.utf8) }
            if let known {
                let before = suspects.remove(at: known)
                if before.offset == crash.offset { crash.crashes = before.crashes + 1 }
                // If nobody was told of the earlier entry, nobody was told of later ones.
                if before.offset <= crash.offset { crash.isNew = crash.isNew || before.isNew }
            }
            suspects.append(crash)
        }
        return suspects
    }
}

/// Where a loop notes the entry that it is about to reduce: a page of memory mapped to the file, so
/// that it reaches the file however the process ends, without a system call for each entry.
///
/// After a crash of the machine it may be out of date. Belongs to its journal's loop.
final class ReducingSlot {
    /// The distance between slots: the largest page size of any system. The file is sparse.
    static let stride = 65_536
    /// Enough for the header and the longest name of a room.
    static let size = 8_192

    /// Offset, history, number of crashes, whether it is new, length of the room's name; then the
    /// name itself.
    private let words: UnsafeMutablePointer<UInt64>
    private let isMapped: Bool
    private(set) var room = ""
    /// What was noted last.
    private(set) var offset: UInt64 = 0

    /// A slot at a place in a file. If the disk has no space for it, it is in memory only, and a
    /// crash isn't counted.
    init(in descriptor: Int32, at place: Int, history: UInt64) {
        let zeros = [UInt8](repeating: 0, count: Self.size)
        // Allocated now: writing to a mapped page without space on the disk ends the process.
        let isThere = pwrite(descriptor, zeros, zeros.count, off_t(place)) == zeros.count
        let page = mmap(
            nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(place))
        isMapped = isThere && page != MAP_FAILED
        if isMapped, let page {
            words = page.assumingMemoryBound(to: UInt64.self)
        } else {
            if page != MAP_FAILED { munmap(page, Self.size) }
            words = .allocate(capacity: Self.size / 8)
            words.initialize(repeating: 0, count: Self.size / 8)
        }
        words[1] = history
    }

    deinit {
        if isMapped { munmap(words, Self.size) } else { words.deallocate() }
    }

    /// The entry at `offset` is about to be reduced.
    @inline(never)
    func note(_ offset: UInt64, of room: String, isNew: Bool) {
        // The room's name changes only while nothing is noted.
        if words[0] == 0, !room.utf8.elementsEqual(self.room.utf8) { name(room) }
        words[3] = isNew ? 1 : 0
        self.offset = offset
        words[0] = offset
    }

    /// The noted entry was reduced.
    @inline(never)
    func clear() { words[0] = 0 }

    private func name(_ room: String) {
        self.room = room
        let bytes = Array(room.utf8.prefix(Self.size - Self.header))
        words[4] = UInt64(bytes.count)
        UnsafeMutableRawPointer(words).advanced(by: Self.header).copyMemory(
            from: bytes, byteCount: bytes.count)
    }

    private static let header = 40
}

extension ReducingSlot {
    /// The content of a slot.
    struct Note: Equatable, Sendable {
        var room: String
        var offset: UInt64
        /// How many times in a row the process ended there; 0 if this is the loop's own note.
        var crashes = 0
        /// Whether nobody had been told its outcome yet when it was reduced for the first time.
        var isNew: Bool

        /// Reads a slot; nil if it is empty, or of another history.
        init?(in descriptor: Int32, at place: Int, history: UInt64) {
            var bytes = [UInt8](repeating: 0, count: size)
            guard pread(descriptor, &bytes, size, off_t(place)) == size else { return nil }
            let words = bytes.withUnsafeBytes { bytes in
                (0..<5).map { bytes.load(fromByteOffset: 8 * $0, as: UInt64.self) }
            }
            let length = Int(clamping: words[4])
            guard words[0] > 0, words[1] == history, length <= size - header else { return nil }
            room = String(decoding: bytes[header..<header + length], as: UTF8.self)
            offset = words[0]
            crashes = Int(clamping: words[2])
            isNew = words[3] == 1
        }

        /// The slot's bytes.
        func bytes(history: UInt64) -> [UInt8] {
            let name = Array(room.utf8)
            let words = [
                offset, history, UInt64(crashes), isNew ? 1 : 0, UInt64(name.count),
            ]
            let bytes = words.withUnsafeBytes { Array($0) } + name
            return bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count))
        }
    }
}
