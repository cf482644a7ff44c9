/// The names that a room knows, as a refusal lists them: written once, as anybody may ask for a
/// million others.
package struct KnownNames: Sendable {
    /// How many are listed, and how many bytes they may take: a refusal as a whole has 512.
    static let most = 20
    static let mostBytes = 384

    private let list: String?

    /// All of them, or the first.
    package var text: String { list ?? "none" }

    /// - Parameter names: in the order in which they are listed.
    package init(_ names: [String]) {
        var listed: [String] = []
        var bytes = 0
        for name in names.prefix(Self.most).map({ $0.excerpt() }) {
            bytes += name.utf8.count + 2
            guard bytes <= Self.mostBytes else { break }
            listed.append(name)
        }
        let left = names.count - listed.count
        let text = listed.joined(separator: ", ")
        list = names.isEmpty ? nil : left == 0 ? text : "\(text) and \(left) more"
    }

    /// A sentence about a name that isn't among them.
    package func lack(of name: String) -> String {
        guard let list else { return "There is no '\(name.excerpt())': there are none at all." }
        return "There is no '\(name.excerpt())', only \(list)."
    }
}
