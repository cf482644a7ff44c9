/// Rows by id, for states that grow large: what an action costs follows the rows that it changes.
///
/// ```swift
/// struct Board {
///     var cards = Table<Card>()
/// }
/// board.cards[id: "a"]?.title = "Milk"
/// ```
///
/// A table is a value. A copy costs O(1); a change costs O(log n), and in a table that wasn't
/// copied is made in place. From two versions, ``changes(from:)`` finds the rows that differ in
/// time proportional to their number. Rows are in the order of their ids, which is the same in
/// every process: ``rows``. For an order of your own see ``OrderedTable``.
public struct Table<Row: Identifiable> where Row.ID: TableKey {
    @usableFromInline package typealias Tree = SortedTree<KeyOrder<Row.ID>, Row>

    @usableFromInline package internal(set) var tree: Tree

    @inlinable package init(_ tree: Tree) { self.tree = tree }

    /// A table without rows.
    @inlinable public init() { tree = Tree() }

    /// A table of rows in any order; of two with one id the later counts. O(n log n), O(n) if they
    /// are in the order of their ids.
    @inlinable public init(_ rows: some Sequence<Row>) { tree = Tree(rows.map { ($0.id, $0) }) }

    /// The number of rows. O(1).
    @inlinable public var count: Int { tree.count }

    /// Whether there are no rows. O(1).
    @inlinable public var isEmpty: Bool { tree.isEmpty }

    /// Whether there is a row with an id. O(log n).
    @inlinable public func contains(_ id: Row.ID) -> Bool { tree.contains(id) }

    /// The row with an id; nil removes it. O(log n).
    ///
    /// A row is changed in place: `table[id: "a"]?.title = "Milk"`.
    ///
    /// - Precondition: A row that is set has this id.
    @inlinable public subscript(id id: Row.ID) -> Row? {
        get { tree[id] }
        set {
            guard let newValue else {
                tree.remove(id)
                return
            }
            Self.check(newValue, hasID: id)
            tree.update(newValue, at: id)
        }
        _modify {
            var place: Tree.Place?
            var row: Row?
            if let (found, taken) = tree.take(id) { (place, row) = (found, taken) }
            defer {
                if let row { Self.check(row, hasID: id) }
                if let found = place {
                    place = nil
                    if let row {
                        tree.put(row, back: found)
                    } else {
                        tree.removeTaken(from: found)
                    }
                } else if let row {
                    tree.update(row, at: id)
                }
            }
            yield &row
        }
    }

    @inlinable static func check(_ row: Row, hasID id: Row.ID) {
        precondition(
            Row.ID.areSame(row.id, id), "A row with id \(row.id) can't be set as \(id)")
    }

    /// Adds a row, or replaces the one with its id, and returns that. O(log n).
    @discardableResult
    @inlinable public mutating func update(_ row: Row) -> Row? { tree.update(row, at: row.id) }

    /// Adds a row if none has its id, and returns whether it did. O(log n).
    @discardableResult
    @inlinable public mutating func insert(_ row: Row) -> Bool {
        if tree.contains(row.id) { return false }
        tree.update(row, at: row.id)
        return true
    }

    /// Removes the row with an id, and returns it. O(log n).
    @discardableResult
    @inlinable public mutating func remove(id: Row.ID) -> Row? { tree.remove(id) }

    /// Removes the rows for which `shouldRemove` is true. O(n).
    @inlinable public mutating func removeAll(where shouldRemove: (Row) throws -> Bool) rethrows {
        var (kept, removed): ([Tree.Element], [Row.ID]) = ([], [])
        for entry in tree {
            if try shouldRemove(entry.value) {
                removed.append(entry.key)
            } else {
                kept.append(entry)
            }
        }
        // Few are removed one by one, so that the rest is still shared with other versions.
        if removed.count > kept.count {
            tree = Tree(kept)
        } else {
            for id in removed { tree.remove(id) }
        }
    }

    /// Removes all rows. O(1), but for the rows that no other version has.
    @inlinable public mutating func removeAll() { tree = Tree() }
}

extension Table: Sendable where Row: Sendable {}
