import Example

/// What a key asks of the world outside the model.
enum Effect: Sendable {
    case dispatch(any BoardAction)
    /// Show other cards of a column.
    case turn(Column.ID, PageTurn)
    /// Try to connect now instead of later.
    case reconnect
    /// Draw everything again.
    case redraw
    case quit
}

/// Which cards of a column to show instead of those that are shown.
enum PageTurn: Equatable, Sendable {
    case first, previous, next
}
