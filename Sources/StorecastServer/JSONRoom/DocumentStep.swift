import StorecastSync

/// One change of one place of a document: what an edit comes down to. It can be undone.
struct DocumentStep {
    /// Where; for an element of an array, its index at that time.
    let path: JSONPointer
    /// What is there before; nil if nothing is.
    let old: JSON?
    /// What is there then; nil if nothing is. An element is added at the end of its array only.
    var new: JSON?
    /// How many bytes the document's text grows by, exactly.
    var growth: Int
    /// Whether it takes an element out of an array: those behind it move up.
    var movesElements = false
    /// Whether an array has another number of elements then.
    var changesCount = false

    /// Puts a value where another one is.
    init(replacing old: JSON, by new: JSON, at path: JSONPointer) {
        self.path = path
        self.old = old
        self.new = new
        growth = new.encodedSize - old.encodedSize
    }

    /// Adds a member to an object with `count` others.
    init(adding new: JSON, as name: String, to path: JSONPointer, with count: Int) {
        self.path = path.appending(name)
        old = nil
        self.new = new
        growth = Self.size(of: new, as: name) + (count > 0 ? 1 : 0)
    }

    /// Removes a member of an object with `count` of them.
    init(removing old: JSON, as name: String, from path: JSONPointer, with count: Int) {
        self.path = path.appending(name)
        self.old = old
        new = nil
        growth = -Self.size(of: old, as: name) - (count > 1 ? 1 : 0)
    }

    /// Adds an element to the end of an array of `count`.
    init(appending new: JSON, to path: JSONPointer, with count: Int) {
        self.path = path.appending(count)
        old = nil
        self.new = new
        growth = new.encodedSize + (count > 0 ? 1 : 0)
        changesCount = true
    }

    /// Removes an element of an array of `count`.
    init(removing old: JSON, at index: String, from path: JSONPointer, with count: Int) {
        self.path = path.appending(index)
        self.old = old
        new = nil
        growth = -old.encodedSize - (count > 1 ? 1 : 0)
        movesElements = true
        changesCount = true
    }

    /// A value is another, whatever that makes of the text around it.
    init(at path: JSONPointer, from old: JSON?, to new: JSON?) {
        self.path = path
        self.old = old
        self.new = new
        growth = 0
    }

    /// The bytes of a member, with its name and the colon.
    private static func size(of value: JSON, as name: String) -> Int {
        JSON.string(name).encodedSize + 1 + value.encodedSize
    }

    // MARK: Doing it

    /// Does it, in place. `document` is what the first `depth` steps of the path lead to.
    func apply(to document: inout JSON, from depth: Int = 0) {
        Self.change(&document, path, from: depth, old: old, new: new)
    }

    /// Takes it back, in place, from what it left.
    func undo(in document: inout JSON, from depth: Int = 0) {
        Self.change(&document, path, from: depth, old: new, new: old)
    }

    private static func change(
        _ document: inout JSON, _ path: JSONPointer, from depth: Int, old: JSON?, new: JSON?
    ) {
        if let new, old != nil {
            try? document.modify(at: path, from: depth) { $0 = new }
        } else {
            try? document.modifyParent(of: path, from: depth) { $0.put(new, at: $1) }
        }
    }

    // MARK: As a patch

    /// The operation that does it to what the first `depth` steps of the path lead to; nil if it
    /// does nothing.
    func operation(from depth: Int) -> JSONPatch.Operation? {
        let path = JSONPointer(Array(path.tokens[depth...]))
        return switch (old, new) {
        case (nil, nil): nil
        case (nil, let new?): .add(path: path, value: new)
        case (_?, nil): .remove(path: path)
        case (_?, let new?): .replace(path: path, value: new)
        }
    }
}
