import StorecastWire

/// The last patches of a selection group, each leading to the next, bounded in bytes.
struct PatchHistory {
    private struct Step {
        /// The version that the patch applies to.
        let from: UInt64
        /// The last at which the value is known to be that of `from`.
        let until: UInt64
        /// The patch's operations as JSON text, without the array's brackets.
        var operations: [UInt8]
        /// The bytes of all patches before this one, kept or not.
        let bytesBefore: Int
    }

    private let limit: Int
    private var steps: [Step] = []
    private var first = 0
    private var bytes = 0

    /// A history of at most `limit` bytes of operations.
    init(limit: Int) {
        self.limit = limit
    }

    /// Adds the patch that leads from the value of a version to the newest value.
    ///
    /// Patches that a snapshot of `snapshotSize` bytes makes useless are dropped. Amortised O(1)
    /// beyond the writing.
    ///
    /// - Parameter until: the last version at which the value is known to be that of `from`: another
    ///   server may tell of several changes by one patch.
    mutating func append(
        _ patch: JSONPatch, from: UInt64, until: UInt64 = .max, snapshotSize: Int
    ) {
        let keep = min(limit, snapshotSize)
        // One that is longer than what is kept leaves nothing, and needn't be written.
        if patch.isLonger(than: keep) {
            steps = []
            first = 0
            return
        }
        var writer = JSONWriter(reserving: 64)
        patch.write(to: &writer)
        let operations = Array(writer.bytes.dropFirst().dropLast())
        steps.append(Step(from: from, until: until, operations: operations, bytesBefore: bytes))
        bytes += operations.count
        while first < steps.count, bytes - steps[first].bytesBefore > keep {
            // The step itself goes later, together with others; its bytes may be many.
            steps[first].operations = []
            first += 1
        }
        if first > 32, first * 2 > steps.count {
            steps.removeFirst(first)
            first = 0
        }
    }

    /// The bytes of the patches that are kept.
    var size: Int { first < steps.count ? bytes - steps[first].bytesBefore : 0 }

    /// The patches that are kept: which version each applies to, and its operations.
    var patches: some Sequence<(from: UInt64, operations: [UInt8])> {
        steps[first...].lazy.map { ($0.from, $0.operations) }
    }

    /// The version of the last change at or before `version`, which is before the newest, if the
    /// patches since then are kept. O(log n).
    func start(of version: UInt64) -> UInt64? {
        place(of: version).flatMap { version <= steps[$0].until ? steps[$0].from : nil }
    }

    /// The operations that lead from `version` to now, if they are kept and shorter than `size`.
    ///
    /// O(log n) and the number of steps.
    func operations(since version: UInt64, smallerThan size: Int) -> [[UInt8]]? {
        guard let place = place(of: version), let kept = self.size(since: version), kept < size
        else { return nil }
        return steps[place...].map(\.operations)
    }

    /// The bytes of the patches that lead from `version` to now; nil if they aren't kept. O(log n).
    func size(since version: UInt64) -> Int? {
        guard let place = place(of: version), steps[place].from == version else { return nil }
        return bytes - steps[place].bytesBefore
    }

    /// The last step that starts at or before `version`.
    private func place(of version: UInt64) -> Int? {
        var low = first
        var high = steps.count
        while low < high {
            let middle = (low + high) / 2
            if steps[middle].from <= version { low = middle + 1 } else { high = middle }
        }
        return low > first ? low - 1 : nil
    }
}
