/// Rows by id, in an order of one's own: the cards of a column, messages, layers.
///
/// ```swift
/// column.cards.append(Card(id: "a"))
/// column.cards.insert(Card(id: "b"), at: 0)
/// column.cards.move(id: "a", to: 0)
/// column.cards[id: "a"]?.title = "Milk"
/// ```
///
/// Like ``Table``, it is a value whose copies cost O(1) and whose changes cost O(log n), in place
/// if it wasn't copied. Each row has a ``Rank``, a short text that says where it is among the
/// others, so that a move changes one row. The same calls give the same ranks everywhere.
///
/// It is a collection of its rows. By position a row costs O(log n), also in an iteration.
public struct OrderedTable<Row: Identifiable> where Row.ID: TableKey {
    @usableFromInline package typealias Tree =
        SortedTree<KeyOrder<Row.ID>, (rank: Rank, box: RowBox<Row>)>
    @usableFromInline package typealias Order = SortedTree<RankOrder, Row.ID>

    /// The rows by id.
    @usableFromInline package internal(set) var tree: Tree
    /// The ids by rank.
    @usableFromInline package internal(set) var order: Order
    /// How many rows were ranked anew to make room for others, since this was made.
    var rankedAnew = 0

    /// A table without rows.
    public init() { (tree, order) = (Tree(), Order()) }

    /// A table of rows in their order; of two with one id the later counts. O(n log n).
    public init(_ rows: some Sequence<Row>) {
        let ranked = rows.enumerated().map { (rank: Rank.first($0), row: $1) }
        self.init(ranked)
        guard tree.count < ranked.count else { return }
        self.init()
        for (_, row) in ranked { append(row) }
    }

    /// Rows whose ids and ranks are each there once.
    init(_ ranked: [(rank: Rank, row: Row)]) {
        tree = Tree(ranked.map { ($0.row.id, ($0.rank, RowBox($0.row))) })
        order = Order(ranked.map { ($0.rank, $0.row.id) })
    }

    /// Whether there is a row with an id. O(log n).
    @inlinable public func contains(id: Row.ID) -> Bool { tree.contains(id) }

    /// The position of the row with an id. O(log n).
    @inlinable public func index(of id: Row.ID) -> Int? {
        guard let rank = rank(of: id) else { return nil }
        return order.position(of: rank)
    }

    /// The rank of the row with an id. O(log n).
    @inlinable public func rank(of id: Row.ID) -> Rank? { tree[id]?.rank }

    /// The ids in order. By position an id costs O(log n).
    public var ids: some RandomAccessCollection<Row.ID> {
        indices.lazy.map { [order] in order[position: $0].value }
    }

    /// The row with an id; nil removes it. A new one is set at the end. O(log n).
    ///
    /// A row is changed in place: `table[id: "a"]?.title = "Milk"`.
    ///
    /// - Precondition: A row that is set has this id.
    @inlinable public subscript(id id: Row.ID) -> Row? {
        get { tree[id]?.box.row }
        set {
            guard let newValue else {
                remove(id: id)
                return
            }
            Table.check(newValue, hasID: id)
            set(newValue)
        }
        _modify {
            var place: Tree.Place?
            var rank: Rank?
            var box: RowBox<Row>?
            if let (found, (itsRank, taken)) = tree.take(id) {
                (place, rank, box) = (found, itsRank, taken)
            }
            var row = RowBox.take(&box)
            defer {
                if let row { Table.check(row, hasID: id) }
                if let found = place, let rank {
                    place = nil
                    if row != nil {
                        tree.put((rank, RowBox.fill(box, row.take())), back: found)
                    } else {
                        tree.removeTaken(from: found)
                        order.remove(rank)
                    }
                } else if let row {
                    append(row)
                }
            }
            yield &row
        }
    }

    /// Replaces the row with the same id where it is, or adds it at the end.
    @usableFromInline mutating func set(_ row: Row) {
        if let rank = rank(of: row.id) {
            tree.update((rank, RowBox(row)), at: row.id)
        } else {
            append(row)
        }
    }
}

// MARK: - Rows come, go and move

extension OrderedTable {
    /// Adds a row at the end; if there is one with its id, that is removed, and returned. O(log n).
    @discardableResult
    public mutating func append(_ row: Row) -> Row? {
        let old = remove(id: row.id)
        place(RowBox(row), row.id, at: count)
        return old
    }

    /// Adds a row at a position; if there is one with its id, that is removed, and returned.
    /// O(log n), amortised.
    ///
    /// - Parameters:
    ///   - row: What is added.
    ///   - position: From 0 to the number of the other rows.
    @discardableResult
    public mutating func insert(_ row: Row, at position: Int) -> Row? {
        let old = remove(id: row.id)
        place(RowBox(row), row.id, at: position)
        return old
    }

    /// Adds a row before another. Does nothing and returns false if that isn't there. If there is
    /// one with the row's id, it is replaced. O(log n), amortised.
    @discardableResult
    public mutating func insert(_ row: Row, before other: Row.ID) -> Bool {
        insert(row, at: other, after: false)
    }

    /// Adds a row after another. Does nothing and returns false if that isn't there. If there is
    /// one with the row's id, it is replaced. O(log n), amortised.
    @discardableResult
    public mutating func insert(_ row: Row, after other: Row.ID) -> Bool {
        insert(row, at: other, after: true)
    }

    private mutating func insert(_ row: Row, at other: Row.ID, after: Bool) -> Bool {
        guard contains(id: other) else { return false }
        if Row.ID.areSame(row.id, other) {
            set(row)
            return true
        }
        remove(id: row.id)
        guard let position = index(of: other) else { return false }
        place(RowBox(row), row.id, at: after ? position + 1 : position)
        return true
    }

    /// Moves the row with an id to a position among the others. Does nothing and returns false if
    /// there is none. O(log n), amortised.
    ///
    /// - Parameters:
    ///   - id: The row's.
    ///   - position: Where the row is afterwards, from 0 to the last.
    @discardableResult
    public mutating func move(id: Row.ID, to position: Int) -> Bool {
        guard let old = index(of: id) else { return false }
        precondition(indices.contains(position), "There is no position \(position)")
        if old == position { return true }
        guard let box = take(id) else { return false }
        place(box, id, at: position)
        return true
    }

    /// Moves the row with an id before another. Does nothing and returns false if one of them isn't
    /// there. O(log n), amortised.
    @discardableResult
    public mutating func move(id: Row.ID, before other: Row.ID) -> Bool {
        guard let old = index(of: id), let position = index(of: other) else { return false }
        return move(id: id, to: old < position ? position - 1 : position)
    }

    /// Moves the row with an id after another. Does nothing and returns false if one of them isn't
    /// there. O(log n), amortised.
    @discardableResult
    public mutating func move(id: Row.ID, after other: Row.ID) -> Bool {
        guard let old = index(of: id), let position = index(of: other) else { return false }
        return move(id: id, to: old <= position ? position : position + 1)
    }

    /// Removes the row with an id, and returns it. O(log n).
    @discardableResult
    public mutating func remove(id: Row.ID) -> Row? { take(id)?.row }

    private mutating func take(_ id: Row.ID) -> RowBox<Row>? {
        guard let (rank, box) = tree.remove(id) else { return nil }
        order.remove(rank)
        return box
    }

    /// Removes the row at a position, and returns it. O(log n).
    @discardableResult
    public mutating func remove(at position: Int) -> Row {
        let (rank, id) = order[position: position]
        order.remove(rank)
        return tree.remove(id)!.box.row
    }

    /// Removes the rows for which `shouldRemove` is true. O(n + c log n) for c rows removed.
    public mutating func removeAll(where shouldRemove: (Row) throws -> Bool) rethrows {
        var removed: [Row.ID] = []
        for entry in tree where try shouldRemove(entry.value.box.row) { removed.append(entry.key) }
        for id in removed { remove(id: id) }
    }

    /// Removes all rows. O(1), but for the rows that no other version has.
    public mutating func removeAll() { self = OrderedTable() }

    /// Adds a row whose id is free.
    private mutating func place(_ box: RowBox<Row>, _ id: Row.ID, at position: Int) {
        precondition((0...count).contains(position), "There is no position \(position)")
        let rank = freeRank(at: position)
        order.update(id, at: rank)
        tree.update((rank, box), at: id)
    }

    /// A rank for a new row at a position. If it would be too long, the rows around get new ranks:
    /// as few as it takes to have room again.
    private mutating func freeRank(at position: Int) -> Rank {
        func rank(at position: Int) -> Rank? {
            (0..<count).contains(position) ? order[position: position].key : nil
        }
        if let rank = Rank.between(rank(at: position - 1), rank(at: position)) { return rank }
        var width = 16
        while true {
            let around = Swift.max(0, position - width)..<Swift.min(count, position + width)
            width *= 2
            let isAll = around.count == count
            let ranks = Rank.several(
                around.count + 1, between: rank(at: around.lowerBound - 1),
                rank(at: around.upperBound), longest: Rank.longest - (isAll ? 0 : 8))
            guard var ranks else { continue }
            let own = ranks.remove(at: position - around.lowerBound)
            setRanks(ranks, at: around)
            return own
        }
    }

    private mutating func setRanks(_ ranks: [Rank], at positions: Range<Int>) {
        let old = positions.map { order[position: $0] }
        for entry in old { order.remove(entry.key) }
        for (entry, rank) in zip(old, ranks) {
            order.update(entry.value, at: rank)
            guard let (place, (_, box)) = tree.take(entry.value) else { continue }
            tree.put((rank, box), back: place)
        }
        rankedAnew += positions.count
    }
}

// MARK: - Collection

extension OrderedTable: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { tree.count }

    /// The row at a position. O(log n).
    @inlinable public subscript(position: Int) -> Row {
        tree[order[position: position].value]!.box.row
    }

    /// The rows one after another.
    @inlinable public func makeIterator() -> Iterator { Iterator(self) }

    /// Rows one after another.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var cursor: TreeCursor<RankOrder, Row.ID>
        @usableFromInline let tree: Tree

        @inlinable init(_ table: OrderedTable) {
            (cursor, tree) = (table.order.cursor(position: 0), table.tree)
        }

        /// The next row. O(log n).
        @inlinable public mutating func next() -> Row? {
            guard let id = cursor.next()?.value else { return nil }
            return tree[id]?.box.row
        }
    }
}

extension OrderedTable: Sendable where Row: Sendable {}
