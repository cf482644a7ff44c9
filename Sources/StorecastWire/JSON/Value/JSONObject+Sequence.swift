extension JSONObject: Sequence {
    /// Goes through the members in order.
    public struct Iterator: IteratorProtocol {
        private var slots: Array<Slot>.Iterator

        init(_ slots: [Slot]) { self.slots = slots.makeIterator() }

        /// The next member; nil at the end.
        public mutating func next() -> Element? {
            while let slot = slots.next() {
                if let value = slot.value { return (slot.key, value) }
            }
            return nil
        }
    }

    /// An iterator at the first member.
    public func makeIterator() -> Iterator { Iterator(slots) }

    /// The number of members.
    public var underestimatedCount: Int { count }
}
