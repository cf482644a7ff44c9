import Foundation
import StorecastRoom
import Synchronization

/// The file beside a journal's that outlives a crash and says which entries were being reduced
/// then, and how often in a row that was so.
///
/// In slots: first one for each entry that is suspected, then one for each loop. It is gone when
/// the journal was closed in order.
final class ReducingFile: Sendable {
    /// Found when it was opened: for each room the last entry that the process didn't survive.
    let suspects: [ReducingSlot.Note]
    private let path: String
    private let descriptor: Int32
    private let history: UInt64
    private let slots: Mutex<Int>

    /// Opens it, or makes one; counts what crashed since.
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

    /// A suspect was reduced after all, or is no longer to be.
    func acquit(_ suspect: ReducingSlot.Note) {
        guard let index = suspects.firstIndex(of: suspect) else { return }
        var none: UInt64 = 0
        _ = pwrite(descriptor, &none, 8, off_t(index * ReducingSlot.stride))
    }

    /// Nothing is being reduced, and the process ends in order.
    func remove() { unlink(path) }

    private static func notes(
        in descriptor: Int32, _ path: String, _ history: UInt64
    ) -> [ReducingSlot.Note] {
        stride(from: 0, to: StoreFile.size(path), by: ReducingSlot.stride).compactMap { place in
            ReducingSlot.Note(in: descriptor, at: place, history: history)
        }
    }

    /// The suspects of before, and what was being reduced at the last end.
    private static func count(_ notes: [ReducingSlot.Note]) -> [ReducingSlot.Note] {
        var suspects = notes.filter { $0.crashes > 0 }
        for var crash in notes where crash.crashes == 0 {
            crash.crashes = 1
            let known = suspects.firstIndex { $0.room.utf8.elementsEqual(crash.room.utf8) }
            if let known {
                let before = suspects.remove(at: known)
                if before.offset == crash.offset { crash.crashes = before.crashes + 1 }
                // A room that ended at an entry that nobody was told of had told nobody of later
                // ones.
                if before.offset <= crash.offset { crash.isNew = crash.isNew || before.isNew }
            }
            suspects.append(crash)
        }
        return suspects
    }
}
