/// An object or array that is being decoded: where its decoder is, and how far it got.
///
/// A class, because a keyed container may not change while it reads and still has to remember where
/// the last name was: members are mostly asked for in the order in which they were written.
final class JSONDecodingScope {
    let decoder: JSONViewDecoder
    /// Whether this stands around a whole document rather than for a container in it.
    let isAround: Bool
    /// Whose members these are.
    private let type: Any.Type?
    /// As what a value in here is being read.
    ///
    /// Unchecked, as the cursor is.
    @exclusivity(unchecked) var reading: Any.Type?
    /// The tape index of the name found last, or of the first element.
    ///
    /// Unchecked: read and written by itself only, so accesses can't overlap.
    @exclusivity(unchecked) private(set) var cursor: Int

    init(_ decoder: JSONViewDecoder) {
        self.decoder = decoder
        isAround = false
        type = decoder.parent?.reading
        cursor = decoder.view.index + 1
    }

    /// What the value at the top of a document is read in.
    init(around view: JSONView) {
        decoder = JSONViewDecoder(view)
        isAround = true
        type = nil
        cursor = 0
    }

    var view: JSONView { decoder.view }
    var codingPath: [any CodingKey] { decoder.codingPath }

    /// The member called `name`: the search begins at the one found last, and wraps around.
    func member(_ name: String) -> JSONView? {
        name.withTextBytes { name in
            let tape = decoder.tape
            let view = decoder.view
            let end = view.entry.link
            var at = cursor
            for _ in 0..<view.entry.count {
                if tape.isString(at, name) {
                    cursor = at
                    return JSONView(tape, at + 1)
                }
                at = tape.after(at + 1)
                if at >= end { at = view.index + 1 }
            }
            return nil
        }
    }

    /// What stands for a member that is missing, in an object of a type that is ``Evolving``.
    func memberDefault(_ name: String) throws -> JSONView? {
        guard let evolving = type as? any Evolving.Type,
            let value = evolving.memberDefaults.object?[name]
        else { return nil }
        let object = JSON.object([name: value])
        return try JSONDocument(object.bytes, limits: .trusted).root[name]
    }
}
