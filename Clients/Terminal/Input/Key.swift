/// What a person pressed.
enum Key: Equatable, Sendable {
    /// A character, as the keyboard made it.
    case character(Character)
    /// A text that was pasted.
    case paste(String)
    /// A letter with the control key.
    case control(Character)
    case enter, tab, escape, backspace, delete
    case up, down, left, right, home, end, pageUp, pageDown
    case shiftUp, shiftDown, shiftLeft, shiftRight
}
