/// Draws a model: the title, the columns, the chat, and a line for status and typing.
struct BoardScreen {
    let model: BoardModel
    private(set) var canvas: Canvas

    /// The smallest screen on which everything has its place.
    static let smallest = (width: 40, height: 12)

    private init(_ model: BoardModel, width: Int, height: Int) {
        self.model = model
        canvas = Canvas(width: width, height: height)
    }

    /// The screen that shows `model`.
    static func draw(_ model: BoardModel, width: Int, height: Int) -> Canvas {
        var screen = BoardScreen(model, width: width, height: height)
        guard width >= smallest.width, height >= smallest.height else {
            screen.canvas.write(
                "The window is too small: \(smallest.width)×\(smallest.height) is the least.",
                row: 0,
                column: 0)
            return screen.canvas
        }
        screen.drawAll()
        return screen.canvas
    }

    private mutating func drawAll() {
        let chatHeight = max(4, canvas.height / 4)
        let chatTop = canvas.height - 2 - chatHeight
        TitlePane(model: model).draw(on: &canvas)
        ColumnsPane(model: model, rows: 1..<chatTop).draw(on: &canvas)
        ChatPane(model: model, rows: chatTop..<canvas.height - 2).draw(on: &canvas)
        StatusPane(model: model, row: canvas.height - 2).draw(on: &canvas)
        if model.mode == .help { HelpPane().draw(on: &canvas) }
    }
}
