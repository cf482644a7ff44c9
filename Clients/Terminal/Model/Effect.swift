import Example

/// What a key asks of the world outside the model.
enum Effect: Sendable {
    case dispatch(any BoardAction)
    /// Try to connect now instead of later.
    case reconnect
    /// Draw everything again.
    case redraw
    case quit
}
