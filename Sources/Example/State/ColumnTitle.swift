/// A column without its cards.
public struct ColumnTitle: Codable, Equatable, Sendable, Identifiable {
    /// The column's id: the parameter of the selection ``Board/column``.
    public let id: String
    /// What stands above the cards.
    public let title: String

    /// The id and title of a column.
    public init(id: String, title: String) {
        self.id = id
        self.title = title
    }
}
