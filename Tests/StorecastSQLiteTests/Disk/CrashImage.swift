import StorecastSync

/// What a crash of the machine leaves of a database: everything up to the last sync of each file,
/// and of the operations after it those that reached the disk by themselves.
struct CrashImage {
    /// Which of the operations that weren't synced reached the disk.
    enum Keeping: CaseIterable {
        case all
        case none
        /// Those on the write-ahead log.
        case log
        /// Those on the main file.
        case main
        /// The oldest ones; the next one in part.
        case oldest
        /// Each by chance: whole, in part or not at all.
        case chance
    }

    /// What the crash did to the unsynced operations on a file.
    enum Fate {
        /// There were none.
        case synced
        case kept
        case keptInPart
        case lost
    }

    private(set) var fates: [DiskFile: Fate] = [:]
    /// The content of each file that is there.
    private(set) var files: [DiskFile: [UInt8]] = [.main: []]

    init(
        of operations: some Sequence<DiskOperation>, keeping: Keeping,
        _ random: inout SeededGenerator
    ) {
        let unsynced = applySynced(operations)
        // More often than not, only a little is lost.
        let count = unsynced.count
        let lost = random.below(random.below(3) == 0 ? count + 1 : min(count, 20) + 1)
        var kept: [DiskFile: [Bool?]] = [:]
        for (number, operation) in unsynced.enumerated() {
            let isKept: Bool? =
                switch keeping {
                case .all: true
                case .none: false
                case .log: operation.file == .log
                case .main: operation.file == .main
                case .oldest: number == count - lost ? nil : number < count - lost
                case .chance: ([true, false, nil] as [Bool?])[random.below(3)]
                }
            kept[operation.file, default: []].append(isKept)
            switch isKept {
            case true?: apply(operation)
            case false?: break
            case nil: applyInPart(operation, &random)
            }
        }
        for file in DiskFile.allCases { fates[file] = Self.fate(kept[file] ?? []) }
    }

    /// Applies what was synced; returns the rest.
    private mutating func applySynced(
        _ operations: some Sequence<DiskOperation>
    ) -> [DiskOperation] {
        var unsynced: [DiskOperation] = []
        for operation in operations {
            guard case .sync(let file) = operation else {
                unsynced.append(operation)
                continue
            }
            for operation in unsynced where operation.file == file { apply(operation) }
            unsynced.removeAll { $0.file == file }
        }
        return unsynced
    }

    private static func fate(_ kept: [Bool?]) -> Fate {
        if kept.isEmpty { return .synced }
        if kept.allSatisfy({ $0 == true }) { return .kept }
        return kept.allSatisfy { $0 == false } ? .lost : .keptInPart
    }

    /// A disk writes sectors, in any order.
    private mutating func applyInPart(
        _ operation: DiskOperation, _ random: inout SeededGenerator
    ) {
        guard case .write(let file, let offset, let bytes) = operation else { return }
        for start in stride(from: 0, to: bytes.count, by: 512) where random.below(2) == 0 {
            let sector = Array(bytes[start..<min(start + 512, bytes.count)])
            apply(.write(file, offset: offset + start, sector))
        }
    }

    private mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .write(let file, let offset, let bytes):
            var content = files[file] ?? []
            let missing = offset + bytes.count - content.count
            if missing > 0 { content += repeatElement(0, count: missing) }
            content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            files[file] = content
        case .truncate(let file, let size):
            files[file] = files[file].map { Array($0.prefix(size)) }
        case .delete(let file): files[file] = nil
        case .sync: break
        }
    }
}
