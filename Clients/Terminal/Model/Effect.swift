import Example

/// What a key asks of the world outside the model.
enum Effect: Sendable {
    /// With what the person typed for it, if they are to have that back when it is rejected.
    case dispatch(any BoardAction, typed: String? = nil)
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
