import StorecastSync

/// What a crash of the machine leaves of a database: everything up to the last sync of each file,
/// and of what came after it whatever chance will have, whole, in part or not at all.
struct CrashImage {
    private var files: [DiskFile: [UInt8]] = [.main: []]

    init(of operations: some Sequence<DiskOperation>, _ random: inout SeededGenerator) {
        var unsynced: [DiskFile: [DiskOperation]] = [:]
        for operation in operations {
            switch operation {
            case .write(let file, _, _), .truncate(let file, _):
                unsynced[file, default: []].append(operation)
            case .sync(let file):
                for operation in unsynced.removeValue(forKey: file) ?? [] { apply(operation) }
            case .delete(let file):
                unsynced[file] = nil
                files[file] = nil
            }
        }
        for file in DiskFile.allCases {
            for operation in unsynced[file] ?? [] { applyByChance(operation, &random) }
        }
    }

    /// The content of each file that is there.
    var contents: [(file: DiskFile, bytes: [UInt8])] { files.map { ($0, $1) } }

    private mutating func applyByChance(
        _ operation: DiskOperation, _ random: inout SeededGenerator
    ) {
        switch random.below(3) {
        case 0: return
        case 1: apply(operation)
        default:
            // A disk writes sectors, in any order.
            guard case .write(let file, let offset, let bytes) = operation else { return }
            for start in stride(from: 0, to: bytes.count, by: 512) where random.below(2) == 0 {
                let sector = Array(bytes[start..<min(start + 512, bytes.count)])
                apply(.write(file, offset: offset + start, sector))
            }
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
        case .sync, .delete: break
        }
    }
}
