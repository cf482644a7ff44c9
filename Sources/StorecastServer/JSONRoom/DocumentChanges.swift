import StorecastSync

/// What a turn does to a document: the places that change, none of them in another.
struct DocumentChanges {
    private var trie = PathTrie<DocumentPlace>()
    private var all: [DocumentPlace] = []
    /// The document before something that may have replaced it all.
    private var suspect: JSON?

    /// Whether nothing was noted.
    var isEmpty: Bool { all.isEmpty && suspect == nil }

    /// Notes an edit that is about to be done to `document`.
    ///
    /// What is done in a place that `isWanted` doesn't hold for isn't noted, unless it is in one
    /// that is: nobody looks there, and undoing the others leads past it. So the number of an
    /// array's elements has to be right if one of them is wanted.
    /// O(path) for each step; amortised, as places become a part of one around them.
    mutating func note(
        _ edit: any JSONEdit, in document: JSON, where isWanted: (JSONPointer) -> Bool
    ) {
        settle(document)
        for step in edit.steps(in: document) where !step.isIdle { note(step, where: isWanted) }
    }

    /// Notes that something else is about to be done to `document`, which may replace all of it.
    ///
    /// It is held until the next call of anything, to see whether it is the same: so what is no
    /// edit costs nothing.
    mutating func noteReplacement(of document: JSON) {
        settle(document)
        suspect = document
    }

    private mutating func settle(_ document: JSON) {
        guard let old = suspect else { return }
        suspect = nil
        guard !isSameMemory(old, document) else { return }
        // What it becomes is looked up when the turn has ended.
        note(DocumentStep(at: JSONPointer(), from: old, to: nil)) { _ in true }
    }

    private mutating func note(_ step: DocumentStep, where isWanted: (JSONPointer) -> Bool) {
        let around = JSONPointer(step.path.tokens.dropLast())
        let path = step.movesElements ? around : step.path
        if let place = trie.first(along: path) { return place.append(step) }
        guard isWanted(step.changesCount ? around : path) else { return }
        trie.cover(path) { inside in
            let place = DocumentPlace(path, number: all.count)
            for part in inside.sorted(by: { $0.number < $1.number }) {
                part.isPart = true
                for step in part.steps { place.append(step) }
            }
            place.append(step)
            all.append(place)
            return place
        }
    }

    /// The places, in the order in which they were first changed; nothing is noted after that.
    /// Each is to be told of the end of the turn.
    mutating func takePlaces(in document: JSON) -> [DocumentPlace] {
        settle(document)
        defer { self = DocumentChanges() }
        return all.filter { !$0.isPart }
    }
}

/// A place of a document that changes in a turn: a value that is put, added or removed, or an array
/// that loses elements; with all that changes inside it.
final class DocumentPlace {
    let path: JSONPointer
    let number: Int
    /// All that was done there, in order.
    private(set) var steps: [DocumentStep] = []
    /// Whether it became a part of a larger place.
    fileprivate var isPart = false
    /// What was there at the end of the turn, if that can't be told from the steps.
    private var found: JSON?
    /// Which step first changed the value as a whole; nil if only parts of it changed.
    private var whole: Int?

    fileprivate init(_ path: JSONPointer, number: Int) {
        self.path = path
        self.number = number
    }

    fileprivate func append(_ step: DocumentStep) {
        if let last = steps.last, !step.movesElements, !last.movesElements, last.path == step.path {
            steps[steps.count - 1].new = step.new
            steps[steps.count - 1].growth += step.growth
            return
        }
        if whole == nil, step.path.tokens.count == path.tokens.count { whole = steps.count }
        steps.append(step)
    }

    // MARK: Before and after

    /// The turn has ended, and led to `document`.
    ///
    /// It keeps a part of the document only if it has to: others may wait for many turns before
    /// they ask what has changed, and the next edit of what is kept copies it.
    ///
    /// - Parameter isWatchedInside: whether somebody looks at something inside the place.
    func endTurn(in document: JSON, isWatchedInside: Bool) {
        let isKnown = whole != nil ? !isReplaced : gain != 0 && !isWatchedInside
        if !isKnown { found = try? path.resolve(in: document) }
    }

    /// Whether it keeps a part of the document.
    var keepsDocument: Bool { found != nil }

    /// Whether something has replaced it that doesn't say by what.
    private var isReplaced: Bool {
        path.tokens.isEmpty && steps.contains { $0.path.tokens.isEmpty && $0.new == nil }
    }

    /// What is there at the end of the turn; nil if nothing is, or if that isn't needed.
    private(set) lazy var new: JSON? = {
        guard let whole, !isReplaced else { return found }
        var new = steps[whole].new
        for step in steps[(whole + 1)...] {
            if step.path.tokens.count == path.tokens.count {
                new = step.new
            } else {
                new?.apply(step, from: path.tokens.count)
            }
        }
        return new
    }()

    /// How many more elements the array has, if it is one that loses some.
    private var gain: Int {
        steps.lazy.filter { $0.path.tokens.count == self.path.tokens.count + 1 }
            .reduce(0) { $0 + ($1.new == nil ? 0 : 1) - ($1.old == nil ? 0 : 1) }
    }

    /// What was there before the turn; nil if nothing was.
    private(set) lazy var old: JSON? = {
        var old = whole.map { steps[$0].old } ?? new
        for step in steps[..<(whole ?? steps.count)].reversed() {
            old?.undo(step, from: path.tokens.count)
        }
        return old
    }()

    /// What was compared and written to find the changes, in bytes, about.
    private var work = 0

    /// What was done since the last call.
    func takeWork() -> Int {
        defer { work = 0 }
        return work
    }

    /// What leads from one to the other, if both are something.
    private lazy var inner: JSONPatch = {
        if whole != nil {
            let new = new ?? .null
            return difference(from: old ?? .null, to: new, size: new.encodedSize)
        }
        // One that has another number of elements is another; else it may have become what it was.
        guard gain != 0 || old != new else { return JSONPatch() }
        return JSONPatch(steps.compactMap { $0.operation(from: path.tokens.count) })
    }()

    /// The changes, or the whole new value of `size` bytes if they are much more work.
    private func difference(from old: JSON, to new: JSON, size: Int) -> JSONPatch {
        let (patch, work) = JSONPatch.diff(from: old, to: new, work: 4 * size + 4096)
        self.work += size + work
        return patch
    }

    /// How many bytes the text around it grows by.
    private var growth: Int { steps.reduce(0) { $0 + $1.growth } }

    // MARK: As others see it

    /// What it is to the value at `place`, which it is in, is, or is around, and which took `size`
    /// bytes.
    func change(at place: JSONPointer, size: Int) -> (patch: JSONPatch, growth: Int) {
        let depth = path.tokens.count
        if place.tokens.count < depth { return change(at: place.tokens.count) }
        if whole == nil, place.tokens.count == depth { return (inner, growth) }
        let rest = JSONPointer(Array(place.tokens[depth...]))
        let (old, new) = (old?.value(at: rest) ?? .null, new?.value(at: rest) ?? .null)
        if isSameMemory(old, new) { return (JSONPatch(), 0) }
        let newSize = new.encodedSize
        let patch =
            rest.tokens.isEmpty ? inner : difference(from: old, to: new, size: newSize)
        return (patch, newSize - size)
    }

    /// What it is to the value that the first `depth` steps of its path lead to.
    private func change(at depth: Int) -> (patch: JSONPatch, growth: Int) {
        let way = path.tokens[depth...]
        if whole != nil, old == nil || new == nil {
            let step = DocumentStep(at: path, from: old, to: new)
            return (JSONPatch(step.operation(from: depth).map { [$0] } ?? []), growth)
        }
        return (inner.inside(way), growth)
    }
}

extension DocumentStep {
    /// Whether it changes nothing: not even the text of a number.
    fileprivate var isIdle: Bool { growth == 0 && old == new }
}

extension JSON {
    /// The value at a path; null while there is none.
    func value(at path: JSONPointer) -> JSON { (try? path.resolve(in: self)) ?? .null }

    fileprivate mutating func apply(_ step: DocumentStep, from depth: Int) {
        step.apply(to: &self, from: depth)
    }

    fileprivate mutating func undo(_ step: DocumentStep, from depth: Int) {
        step.undo(in: &self, from: depth)
    }
}
