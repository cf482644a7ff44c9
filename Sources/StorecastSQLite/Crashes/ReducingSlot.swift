import Foundation

/// Where a loop notes the entry that it is about to reduce: a page that it shares with the system,
/// so that it is written to the file however the process ends, without a system call for each
/// entry.
///
/// What a crash of the machine leaves of it may be old. Belongs to its journal's loop.
final class ReducingSlot {
    /// Apart by the largest pages that systems have. The file has holes between them.
    static let stride = 65_536
    /// Longer than what stands before a room's longest name, and that.
    static let size = 8_192

    /// Offset, history, crashes, whether it is new, the bytes of the room's name; then these.
    private let words: UnsafeMutablePointer<UInt64>
    private let isMapped: Bool
    private(set) var room = ""
    /// What was noted last.
    private(set) var offset: UInt64 = 0

    /// A slot at a place in a file; where there is no space for it, in memory, and then a crash
    /// isn't counted.
    init(in descriptor: Int32, at place: Int, history: UInt64) {
        let zeros = [UInt8](repeating: 0, count: Self.size)
        // All of it now: a page without space on the disk can't be written later, but kills.
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

    /// Everything that was noted is reduced.
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
    /// What a slot of a file says.
    struct Note: Equatable, Sendable {
        var room: String
        var offset: UInt64
        /// How often in a row the process ended there; 0 in what it noted itself.
        var crashes = 0
        /// Whether nobody was told yet what became of it, when it was reduced the first time.
        var isNew: Bool

        /// Reads a slot; nil if nothing is noted there, or in another history.
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
