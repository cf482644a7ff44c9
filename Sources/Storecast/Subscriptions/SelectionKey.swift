/// What makes two subscribers share an evaluation: equal key paths, and the same wish about
/// repeats.
struct SelectionKey: Hashable {
    let path: AnyKeyPath
    let skipsRepeats: Bool
}
