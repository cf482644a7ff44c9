/// The list that an entry is in, seen without the type of its state.
protocol EntryOwner: AnyObject {
    /// Removes an entry whose subscriber has gone.
    func removeOrphan(_ entry: Entry)
}
