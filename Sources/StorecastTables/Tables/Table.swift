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
    @usableFromInline package typealias Tree = SortedTree<KeyOrder<Row.ID>, RowBox<Row>>

    @usableFromInline package internal(set) var tree: Tree

    @inlinable package init(_ tree: Tree) { self.tree = tree }

    /// A table without rows.
    @inlinable public init() { tree = Tree() }

    /// A table of rows in any order; of two with one id the later counts. O(n log n), O(n) if they
    /// are in the order of their ids.
    @inlinable public init(_ rows: some Sequence<Row>) {
        tree = Tree(rows.map { ($0.id, RowBox($0)) })
    }

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
        get { tree[id]?.row }
        set {
            guard let newValue else {
                tree.remove(id)
                return
            }
            Self.check(newValue, hasID: id)
            tree.update(RowBox(newValue), at: id)
        }
        _modify {
            var place: Tree.Place?
            var box: RowBox<Row>?
            if let (found, taken) = tree.take(id) { (place, box) = (found, taken) }
            var row = RowBox.take(&box)
            defer {
                if let row { Self.check(row, hasID: id) }
                if let found = place {
                    place = nil
                    if row != nil {
                        tree.put(RowBox.fill(box, row.take()), back: found)
                    } else {
                        tree.removeTaken(from: found)
                    }
                } else if row != nil {
                    tree.update(RowBox.fill(box, row.take()), at: id)
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
    @inlinable public mutating func update(_ row: Row) -> Row? {
        tree.update(RowBox(row), at: row.id)?.row
    }

    /// Adds a row if none has its id, and returns whether it did. O(log n).
    @discardableResult
    @inlinable public mutating func insert(_ row: Row) -> Bool {
        if tree.contains(row.id) { return false }
        tree.update(RowBox(row), at: row.id)
        return true
    }

    /// Removes the row with an id, and returns it. O(log n).
    @discardableResult
    @inlinable public mutating func remove(id: Row.ID) -> Row? { tree.remove(id)?.row }

    /// Removes the rows for which `shouldRemove` is true. O(n).
    @inlinable public mutating func removeAll(where shouldRemove: (Row) throws -> Bool) rethrows {
        var (kept, removed): ([Tree.Element], [Row.ID]) = ([], [])
        for entry in tree {
            if try shouldRemove(entry.value.row) {
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

/// A row in a table: an object, so that versions of a table share it, and that it is the same
/// object only as long as nobody has changed it.
///
/// Only who has the one reference to it changes it.
@usableFromInline package final class RowBox<Row> {
    /// Nil only while the row is changed in place.
    @exclusivity(unchecked) @usableFromInline var content: Row?

    @inlinable init(_ row: Row) { content = row }

    @inlinable package var row: Row { content.unsafelyUnwrapped }

    /// Takes the row out of a box; the box stays if nobody else has it.
    @inlinable static func take(_ box: inout RowBox?) -> Row? {
        guard box != nil else { return nil }
        if isKnownUniquelyReferenced(&box!) { return box!.content.take() }
        defer { box = nil }
        return box!.content
    }

    /// The box with a row, or a new one.
    @inlinable static func fill(_ box: RowBox?, _ row: consuming Row?) -> RowBox {
        guard let box else { return RowBox(row.unsafelyUnwrapped) }
        box.content = row
        return box
    }
}

// One that is reachable from two threads has two references, so neither of them changes it.
extension RowBox: @unchecked Sendable where Row: Sendable {}
