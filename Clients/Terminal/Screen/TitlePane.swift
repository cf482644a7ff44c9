import Example
import StorecastSync

/// The first row: what this is, and who is there.
struct TitlePane {
    let model: BoardModel

    func draw(on canvas: inout Canvas) {
        canvas.fill(row: 0, style: .reversed)
        let behind = canvas.write(
            " Storecast board ", row: 0, column: 0,
            style: Style(isBold: true, isReversed: true))
        let names = model.present.map { $0.name.shown.displayable }
        let count = "\(names.count) here"
        let room = canvas.width - behind - 2
        let all = names.isEmpty ? "nobody here yet" : "\(names.joined(separator: ", ")) · \(count)"
        let text = TextLayout.columns(all) <= room ? all : TextLayout.truncate(all, to: room)
        canvas.write(
            text, row: 0, column: canvas.width - TextLayout.columns(text) - 1, style: .reversed)
    }
}
