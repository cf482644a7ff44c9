/// What of a room in a damaged file is good: told of its entries one by one, as far as they can be
/// read.
struct SalvagedRoom {
    /// What is worth keeping of a room.
    enum Choice: Equatable {
        /// The entries up to this one.
        case entries(through: UInt64)
        /// The newest good snapshot, and the entries behind it up to this one.
        case snapshot(through: UInt64)
        /// The history's beginning is no longer kept, and no snapshot of it is good.
        case nothing
    }

    let name: String
    let epoch: String
    /// Where the kept entries begin.
    let floor: LogPlace
    /// The newest snapshot that is good.
    let snapshot: SalvagedSnapshot?
    /// The end of the entries that are good from the first on.
    private var prefix: LogPlace
    /// The end of those that are good behind the snapshot.
    private var tail: LogPlace?
    /// The entry that was read last, good or not.
    private var last: LogPlace
    /// What the entry of the snapshot has as its checksum.
    private(set) var seal: LogPlace?
    private(set) var isBroken = false
    private var isTailBroken = false

    init(name: String, epoch: String, floor: LogPlace, snapshot: SalvagedSnapshot?) {
        self.name = name
        self.epoch = epoch
        self.floor = floor
        self.snapshot = snapshot
        prefix = floor
        last = floor
        if floor.offset == snapshot?.offset { seal = floor }
    }

    mutating func take(_ row: EntryRow, at place: LogPlace) {
        let isIntact = (try? row.verified(at: place, after: last)) != nil
        if !isIntact { isBroken = true }
        if !isBroken { prefix = place }
        if let snapshot, place.offset > snapshot.offset, !isTailBroken {
            // Nothing else says that no entry is missing between the snapshot and this one.
            isTailBroken = !isIntact || tail == nil && seal == nil
            if !isTailBroken { tail = place }
        }
        last = place
        if place.offset == snapshot?.offset { seal = place }
    }

    var choice: Choice {
        if let snapshot, snapshot.offset > prefix.offset {
            return .snapshot(through: tail?.offset ?? snapshot.offset)
        }
        guard floor.offset == 0 || snapshot.map({ $0.offset >= floor.offset }) ?? false else {
            return .nothing
        }
        return .entries(through: prefix.offset)
    }

    /// Whether all that could be read is kept.
    var isWhole: Bool { choice == .entries(through: last.offset) }
}

/// A snapshot whose content is what was written.
struct SalvagedSnapshot: Equatable {
    let id: Int64
    let offset: UInt64
    let version: UInt64
}
