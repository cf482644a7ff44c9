extension Table {
    /// The rows in the order of their ids.
    @inlinable public var rows: Rows { Rows(tree, 0..<count) }

    /// The ids in order.
    @inlinable public var ids: some RandomAccessCollection<Row.ID> { rows.lazy.map(\.id) }

    /// The place of an id among ``rows``; nil if there is no row with it. O(log n).
    @inlinable public func position(of id: Row.ID) -> Int? {
        contains(id) ? tree.position(of: id) : nil
    }

    /// The rows whose ids are after one, whether or not a row has it. O(log n).
    @inlinable public func rows(after id: Row.ID) -> Rows {
        rows[(tree.position(of: id) + (contains(id) ? 1 : 0))...]
    }

    /// The rows whose ids are before one, whether or not a row has it. O(log n).
    @inlinable public func rows(before id: Row.ID) -> Rows { rows[..<tree.position(of: id)] }

    /// The rows of a table, or of a part of it, in the order of their ids.
    ///
    /// By position a row costs O(log n), the next of an iteration O(1), amortised.
    public struct Rows: RandomAccessCollection {
        @usableFromInline let tree: Tree
        /// The positions, counted in the whole table.
        public let indices: Range<Int>

        @inlinable init(_ tree: Tree, _ indices: Range<Int>) {
            (self.tree, self.indices) = (tree, indices)
        }

        /// The position of the first row.
        @inlinable public var startIndex: Int { indices.lowerBound }
        /// The position after the last row.
        @inlinable public var endIndex: Int { indices.upperBound }

        /// The row at a position. O(log n).
        @inlinable public subscript(position: Int) -> Row {
            precondition(indices.contains(position), "There is no row at position \(position)")
            return tree[position: position].value.row
        }

        /// The rows of a range of positions. O(1).
        @inlinable public subscript(bounds: Range<Int>) -> Rows {
            precondition(
                startIndex <= bounds.lowerBound && bounds.upperBound <= endIndex,
                "There are no rows at \(bounds)")
            return Rows(tree, bounds)
        }

        /// The rows one after another.
        @inlinable public func makeIterator() -> Iterator {
            Iterator(self)
        }

        /// Rows one after another.
        public struct Iterator: IteratorProtocol {
            @usableFromInline var cursor: TreeCursor<KeyOrder<Row.ID>, RowBox<Row>>
            @usableFromInline var rest: Int

            @inlinable init(_ rows: Rows) {
                cursor = rows.tree.cursor(position: rows.startIndex)
                rest = rows.count
            }

            /// The next row.
            @inlinable public mutating func next() -> Row? {
                guard rest > 0 else { return nil }
                rest -= 1
                return cursor.next()?.value.row
            }
        }
    }
}

extension Table.Rows: Sendable where Row: Sendable {}
