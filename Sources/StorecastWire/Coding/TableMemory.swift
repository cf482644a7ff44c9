/// Decodes a value again each time its JSON has been patched. What that costs follows the patch, as
/// far as the value is in tables: of those only the rows are decoded that the patch touched.
///
/// It remembers the tables that were decoded, each by its place in the JSON. When the value is
/// decoded again they are left out of the text, and whoever asks for one there gets the one
/// remembered, with the rows that have changed. If something else is asked for there, or a row
/// can't be decoded, everything is decoded anew. So the result is always that of
/// ``JSONCoding/decode(_:from:)-(_,JSON)``, for types that decode what they read by nothing else.
package final class TableMemory {
    private var root = TableNode()
    /// Whether the place of a table that was left out was read otherwise than as that table.
    private var isMisread = false
    /// Whether it was at the last use of what is remembered.
    private var wasMisread = false
    /// Set for a type that reads otherwise each time: then remembering is of no use.
    private var isOff = false

    /// Remembers nothing.
    package init() {}

    /// Takes note of a patch to the JSON that was decoded last. O(patch), plus what is remembered
    /// in an array whose elements move.
    package func note(_ patch: JSONPatch) {
        for operation in patch.operations {
            switch operation {
            case .add(let path, _), .copy(_, let path): insert(nil, at: path)
            case .replace(let path, _):
                parent(of: path) { node, token in node.inner[ExactString(token)] = nil }
            case .remove(let path): _ = take(path)
            case .move(let from, let path):
                if from != path { insert(take(from), at: path) }
            case .test: break
            }
        }
    }

    /// Forgets everything.
    package func forget() { root = TableNode() }

    /// Decodes a value from the JSON that was decoded the last time, with the patches that were
    /// noted. If it is another one, call ``forget()`` first.
    ///
    /// - Throws: As ``JSONCoding/decode(_:from:)-(_,JSON)``; then everything is forgotten.
    package func decode<T: Decodable>(_ type: T.Type, from json: JSON) throws -> T {
        if isOff || type == JSON.self { return try JSONCoding.decode(from: json) }
        if let value = decodeChanges(type, from: json) { return value }
        forget()
        do {
            return try decode(type, from: json, root, at: [])
        } catch {
            forget()
            throw error
        }
    }

    /// Nil if what is remembered is of no use.
    private func decodeChanges<T: Decodable>(_ type: T.Type, from json: JSON) -> T? {
        if root.isEmpty { return nil }
        isMisread = false
        let value = try? decode(type, from: json, root, at: [])
        isOff = isMisread && wasMisread
        wasMisread = isMisread
        return isMisread ? nil : value
    }

    fileprivate func decode<T: Decodable>(
        _ type: T.Type, from json: JSON, _ node: TableNode, at codingPath: [any CodingKey]
    ) throws -> T {
        var text = TextWithGaps()
        text.write(json, node)
        let document = try JSONDocument(text.writer.bytes, limits: .trusted)
        let recall = TableRecall(self, node, codingPath, document.root, text.gaps)
        let scope = JSONDecodingScope(around: document.root, recall)
        return try JSONViewDecoder(document.root, in: scope).decode(type)
    }

    fileprivate func misread() { isMisread = true }

    // MARK: Patches

    /// Calls `change` with what is remembered of the value around a place, if anything is, and the
    /// place's name there.
    private func parent(of path: JSONPointer, _ change: (TableNode, String) -> Void) {
        guard let last = path.tokens.last else { return forget() }
        var node = root
        for token in path.tokens.dropLast() {
            node.touch(token)
            guard let next = node.inner[ExactString(token)] else { return }
            node = next
        }
        node.touch(last)
        change(node, last)
    }

    /// Something new is at a place; `inner` is what is remembered of it.
    private func insert(_ inner: TableNode?, at path: JSONPointer) {
        parent(of: path) { node, token in
            if node.isArray {
                // Not an index is "-", behind the last element: of that nothing is remembered.
                guard let index = JSONPointer.index(token) else { return }
                node.moveElements(from: index, by: 1)
            }
            node.inner[ExactString(token)] = inner
        }
    }

    /// What was at a place is gone; returns what is remembered of it.
    private func take(_ path: JSONPointer) -> TableNode? {
        var taken: TableNode?
        parent(of: path) { node, token in
            taken = node.inner.removeValue(forKey: ExactString(token))
            if node.isArray, let index = JSONPointer.index(token) {
                node.moveElements(from: index + 1, by: -1)
            }
        }
        return taken
    }
}

/// What is remembered of one place in the JSON, and of those inside it.
private final class TableNode {
    /// The `Table` or `OrderedTable` that was decoded here last.
    var table: Any?
    /// The members of the table that patches have touched since.
    var touched: Set<ExactString> = []
    /// By member name or element index; only places that have a table in them.
    var inner: [ExactString: TableNode] = [:]
    /// Whether the value here is an array; known if there is something inside.
    var isArray = false

    var isEmpty: Bool { table == nil && inner.isEmpty }

    func touch(_ token: String) {
        if table != nil { touched.insert(ExactString(token)) }
    }

    func moveElements(from start: Int, by offset: Int) {
        inner = Dictionary(
            uniqueKeysWithValues: inner.map { token, node in
                guard let index = JSONPointer.index(token.string), index >= start else {
                    return (token, node)
                }
                return (ExactString(String(index + offset)), node)
            })
    }
}

/// The text of a value, with empty objects in the place of tables that are remembered.
private struct TextWithGaps {
    var writer = JSONWriter()
    var gaps: [TableGap] = []

    mutating func write(_ json: JSON, _ node: TableNode?) {
        guard let node, !node.isEmpty else { return writer.write(json) }
        switch json {
        case .object(let object) where node.table != nil:
            writer.separate()
            gaps.append(TableGap(start: writer.bytes.count, node: node, object: object))
            writer.raw("{}")
        case .object(let object):
            writer.beginObject()
            for (key, value) in object {
                writer.write(key: key)
                write(value, node.inner[ExactString(key)])
            }
            writer.endObject()
        case .array(let elements):
            writer.beginArray()
            for (index, element) in elements.enumerated() {
                write(element, node.inner[ExactString(String(index))])
            }
            writer.endArray()
        default: writer.write(json)
        }
    }
}

/// A table that was left out of a text.
private struct TableGap {
    /// Where the empty object begins that stands for it.
    let start: Int
    let node: TableNode
    /// Its JSON.
    let object: JSONObject
}

/// A text that is being decoded, and the tables that were left out of it.
final class TableRecall {
    /// The path of the text's value in the whole.
    let codingPath: [any CodingKey]
    private let memory: TableMemory
    private let node: TableNode
    private let tape: JSONTape
    /// In the order of the text.
    private let gaps: [TableGap]

    fileprivate init(
        _ memory: TableMemory, _ node: TableNode, _ codingPath: [any CodingKey], _ root: JSONView,
        _ gaps: [TableGap]
    ) {
        self.codingPath = codingPath
        self.memory = memory
        self.node = node
        tape = root.tape
        self.gaps = gaps
    }

    /// A value is about to be read otherwise than as a table.
    func willRead(_ view: JSONView) {
        guard view.tape === tape, !gaps.isEmpty else { return }
        let (start, end) = (Int(view.entry.start), Int(view.entry.start) + view.entry.length)
        let first = firstGap(from: start)
        if first < gaps.count, gaps[first].start < end { memory.misread() }
    }

    /// The table at the place of a decoder.
    func table<T: TableOfMembers>(for decoder: JSONViewDecoder) throws -> T {
        // What stands for a missing member isn't in the JSON.
        guard decoder.tape === tape else { return try decoder.decodeAllMembers() }
        let start = Int(decoder.view.entry.start)
        let gap = firstGap(from: start)
        if gap < gaps.count, gaps[gap].start == start {
            return try changedTable(gaps[gap], decoder)
        }
        let table: T = try decoder.decodeAllMembers()
        let place = place(decoder.codingPath)
        place.table = table
        place.touched = []
        return table
    }

    private func firstGap(from start: Int) -> Int {
        var (low, high) = (0, gaps.count)
        while low < high {
            let middle = (low + high) / 2
            if gaps[middle].start < start { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func changedTable<T: TableOfMembers>(
        _ gap: TableGap, _ decoder: JSONViewDecoder
    ) throws -> T {
        let node = gap.node
        guard var table = node.table as? T else {
            memory.misread()
            throw decoder.mismatch(T.self, "\(T.self)")
        }
        if node.touched.isEmpty { return table }
        let codingPath = decoder.codingPath
        var members: [(name: String, row: T.DecodedMember?)] = []
        for name in node.touched {
            let row = try gap.object[name.string].map { json in
                try member(T.DecodedMember.self, from: json, name, node, codingPath)
            }
            members.append((name.string, row))
        }
        try table.setMembers(members, codingPath: codingPath)
        // Else two names stand for one id.
        guard table.count == gap.object.count else { throw decoder.mismatch(T.self, "rows") }
        node.table = table
        node.touched = []
        return table
    }

    /// Decodes a member of a table, with what is remembered of tables in it.
    private func member<Member: Decodable>(
        _ type: Member.Type, from json: JSON, _ name: ExactString, _ node: TableNode,
        _ codingPath: [any CodingKey]
    ) throws -> Member {
        let inner = node.inner[name] ?? TableNode()
        let member = try memory.decode(
            type, from: json, inner, at: codingPath + [JSONCodingKey(name.string)])
        if !inner.isEmpty { node.inner[name] = inner }
        return member
    }

    /// What is remembered of a place in the text.
    private func place(_ path: [any CodingKey]) -> TableNode {
        var place = node
        for key in path.dropFirst(codingPath.count) {
            if key.intValue != nil { place.isArray = true }
            let token = ExactString(key.stringValue)
            if let next = place.inner[token] {
                place = next
            } else {
                let next = TableNode()
                place.inner[token] = next
                place = next
            }
        }
        return place
    }
}
