/// A screen as cells: what is drawn outside of it is cut off.
struct Canvas: Equatable, Sendable {
    /// What stands in one column of one row.
    struct Cell: Equatable, Sendable {
        /// Nil in the second column of a wide character.
        var character: Character? = " "
        var style = Style.plain
    }

    /// A place on the screen, from 0.
    struct Place: Equatable, Sendable {
        var row: Int
        var column: Int
    }

    let width: Int
    let height: Int
    private var cells: [Cell]
    /// Where the terminal's cursor shows; nil: nowhere.
    var cursor: Place?

    /// An empty screen.
    init(width: Int, height: Int) {
        self.width = max(width, 0)
        self.height = max(height, 0)
        cells = Array(repeating: Cell(), count: self.width * self.height)
    }

    /// The cells of a row.
    func cells(ofRow row: Int) -> ArraySlice<Cell> {
        cells[row * width..<(row + 1) * width]
    }

    /// Writes a text, cleaned of all that isn't for display, from `column` to before `end`.
    ///
    /// Returns the column behind it.
    @discardableResult
    mutating func write(
        _ text: String, row: Int, column: Int, end: Int? = nil, style: Style = .plain
    ) -> Int {
        let end = min(end ?? width, width)
        guard (0..<height).contains(row) else { return column }
        var column = column
        for character in text.displayable {
            let size = character.columns
            guard column + size <= end else { break }
            if size > 0, column >= 0 { put(character, size, row, column, style) }
            column += size
        }
        return column
    }

    /// Fills part of a row with one character of one column.
    mutating func fill(
        row: Int, from start: Int = 0, to end: Int? = nil, with character: Character = " ",
        style: Style = .plain
    ) {
        guard (0..<height).contains(row) else { return }
        for column in max(start, 0)..<max(min(end ?? width, width), max(start, 0)) {
            put(character, 1, row, column, style)
        }
    }

    private mutating func put(
        _ character: Character, _ size: Int, _ row: Int, _ column: Int, _ style: Style
    ) {
        let index = row * width + column
        // Half of a wide character that was there before doesn't stay.
        if cells[index].character == nil, column > 0 { cells[index - 1].character = " " }
        let behind = index + size
        if column + size < width, cells[behind].character == nil { cells[behind].character = " " }
        cells[index] = Cell(character: character, style: style)
        if size == 2 { cells[index + 1] = Cell(character: nil, style: style) }
    }
}
