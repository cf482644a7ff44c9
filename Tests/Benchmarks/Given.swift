import MeasureSupport

/// What the command line says beside names.
enum Given {
    /// The options that have a value.
    static let options = [Peer.flag, "--connections", "--edges", "--rate"]

    static func text(_ option: String) -> String? {
        let words = CommandLine.arguments
        guard let place = words.firstIndex(of: option), place + 1 < words.count else { return nil }
        return words[place + 1]
    }

    /// A number above 0.
    static func number(_ option: String) throws -> Int? {
        guard let text = text(option) else { return nil }
        guard let number = Int(text), number > 0 else {
            throw Failure("\(option) is followed by a number above 0.")
        }
        return number
    }
}
