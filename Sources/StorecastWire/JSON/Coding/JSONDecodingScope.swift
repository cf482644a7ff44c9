/// An object or array that is being decoded: where its decoder is, and how far it got.
///
/// A class, because a keyed container may not change while it reads and still has to remember where
/// the last name was: members are mostly asked for in the order in which they were written.
final class JSONDecodingScope {
    let decoder: JSONViewDecoder
    /// The tape index of the name found last, or of the first element.
    ///
    /// Unchecked: read and written by itself only, so accesses can't overlap.
    @exclusivity(unchecked) private(set) var cursor: Int

    init(_ decoder: JSONViewDecoder) {
        self.decoder = decoder
        cursor = decoder.view.index + 1
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
}
