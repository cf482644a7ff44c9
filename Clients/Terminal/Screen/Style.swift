/// How a cell of the screen looks.
struct Style: Equatable, Sendable {
    /// The colours that every terminal has, in its own shades.
    enum Color: Int, Sendable {
        case red = 31, green = 32, yellow = 33, blue = 34, magenta = 35, cyan = 36, standard = 39
    }

    var color = Color.standard
    var isBold = false
    var isDim = false
    var isReversed = false

    static let plain = Style()
    static let bold = Style(isBold: true)
    static let dim = Style(isDim: true)
    static let reversed = Style(isReversed: true)

    static func color(_ color: Color, bold: Bool = false) -> Style {
        Style(color: color, isBold: bold)
    }

    /// The colour in which a person's name is shown, the same everywhere.
    static func person(_ name: String) -> Style {
        let colors: [Color] = [.cyan, .magenta, .green, .yellow, .blue]
        let sum = name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        return .color(colors[sum % colors.count])
    }

    /// The escape sequence that selects the style, whatever was selected before (ECMA-48 SGR).
    var sequence: String {
        var codes = ["0"]
        if isBold { codes.append("1") }
        if isDim { codes.append("2") }
        if isReversed { codes.append("7") }
        if color != .standard { codes.append(String(color.rawValue)) }
        return "\u{1B}[" + codes.joined(separator: ";") + "m"
    }
}
