import StorecastRoom
import StorecastSync

/// Keeps ``JSONRoom/value`` up to date: the edits are the patches.
struct DocumentSelection: ToldSelection {
    typealias State = SharedDocument
    typealias Parameters = JSONPlace

    func source(
        _ place: JSONPlace, _ viewer: Identity, _ document: SharedDocument,
        _ finders: SelectionFinders<SharedDocument>
    ) throws -> any ToldSource<SharedDocument> {
        // What is longer leads nowhere.
        guard place.path.pointer.tokens.count <= JSONRoom.deepestDocument else {
            throw Rejection(
                .invalidParameters, "The selection's parameters can't be read.",
                detail: "A path may have \(JSONRoom.deepestDocument) steps.")
        }
        return DocumentSource(place.path.pointer, in: document, finders)
    }
}

/// The subscribed paths of a document: finds those that a turn concerns from the places that it
/// changed, above and below them.
///
/// What a turn costs follows its edits and the paths that they concern, not the size of the
/// document or the number of paths. It doesn't hold the document between turns, so that edits are in
/// place.
final class DocumentViews: SelectionFinder {
    private let sources = PathTrie<[DocumentSource]>()
    private var changes = DocumentChanges()
    private var attached = 0
    /// How many turns have changed something.
    private var turn: UInt64 = 0

    var isEmpty: Bool { sources.isEmpty }
    var isListening: Bool { !isEmpty }

    func note(_ action: (any SyncAction)?, on document: SharedDocument) {
        if let edit = action.flatMap(JSONRoom.edit) {
            changes.note(edit, in: document.value) { sources.hasSome(along: $0) }
        } else {
            changes.noteReplacement(of: document.value)
        }
    }

    func advance(
        to document: SharedDocument, _ changed: (any ToldSource<SharedDocument>) throws -> Void
    ) rethrows {
        var concerned: [DocumentSource] = []
        turn += 1
        for place in changes.takePlaces(in: document.value) {
            var told: [DocumentSource] = []
            let below = sources.follow(place.path) { told += $0 }
            let around = told.count
            below?.forEachBelow { told += $0 }
            place.endTurn(in: document.value, isWatchedInside: told.count > around)
            for source in told where source.note(place, in: turn) { concerned.append(source) }
        }
        concerned.sort { $0.number < $1.number }
        for source in concerned { try changed(source) }
    }

    fileprivate func add(_ source: DocumentSource) {
        // Between turns, what was noted came to nothing; and not all was.
        changes = DocumentChanges()
        attached += 1
        source.number = attached
        sources.update(source.path) { $0 = ($0 ?? []) + [source] }
    }

    fileprivate func remove(_ source: DocumentSource) {
        sources.update(source.path) { list in
            list?.removeAll { $0 === source }
            if list?.isEmpty == true { list = nil }
        }
        if sources.isEmpty { changes = DocumentChanges() }
    }
}

/// The value at a path of a document.
///
/// While it is attached, ``DocumentViews`` tells it of the places that concern it; it holds no
/// value then.
final class DocumentSource: ToldSource {
    weak var group: SelectionGroup?
    var way: SelectionWay { .path }
    let path: JSONPointer
    /// The order in which sources are told.
    fileprivate var number = 0
    /// What has changed since the last update, and concerns it; nothing if that is too much.
    private var places: [DocumentPlace] = []
    /// How many turns they are of in which one keeps a part of the document, and the last of these.
    private var keepers: (turns: Int, last: UInt64) = (0, 0)
    /// The turn of the first of them.
    private var firstTurn: UInt64 = 0
    /// Whether more has changed than is worth keeping.
    private var isReplaced = false
    private let finders: SelectionFinders<SharedDocument>
    private var views: DocumentViews?
    /// The value of the last update, while it isn't attached.
    private var kept: JSON?

    init(
        _ path: JSONPointer, in document: SharedDocument,
        _ finders: SelectionFinders<SharedDocument>
    ) {
        self.path = path
        self.finders = finders
        kept = document.value.value(at: path)
    }

    /// How many places of several turns are kept while an update waits, and of how many turns
    /// documents, of which each may be a copy.
    private static let (mostPlaces, mostDocuments) = (4096, 8)

    /// Notes that a place has changed; returns whether nothing had since the last update.
    fileprivate func note(_ place: DocumentPlace, in turn: UInt64) -> Bool {
        guard !isReplaced else { return false }
        let isFirst = places.isEmpty
        if isFirst { firstTurn = turn }
        places.append(place)
        if place.keepsDocument, keepers.last != turn { keepers = (keepers.turns + 1, turn) }
        if turn != firstTurn,
            places.count > Self.mostPlaces || keepers.turns > Self.mostDocuments
        {
            forget()
            isReplaced = true
        }
        return isFirst
    }

    private func forget() {
        places = []
        keepers = (0, 0)
        isReplaced = false
    }

    func attach() {
        kept = nil
        views = finders.finder { DocumentViews() }
        views?.add(self)
    }

    func detach() {
        kept = present
        forget()
        views?.remove(self)
        views = nil
    }

    private var present: JSON { finders.state()?.value.value(at: path) ?? .null }

    func update(_ document: SharedDocument) throws -> ValueChange? {
        if let old = kept {
            let new = document.value.value(at: path)
            kept = new
            return ValueChange(.diff(from: old, to: new), growth: JSON.growth(from: old, to: new))
        }
        defer { forget() }
        let size = group?.size ?? 0
        guard !isReplaced else { return replacement(of: size, in: document) }
        var growth = 0
        var operations: [JSONPatch.Operation] = []
        finders.work += Self.updateWork
        for place in places {
            let change = place.change(at: path, size: size + growth)
            operations += change.patch.operations
            growth += change.growth
            finders.work += place.takeWork()
        }
        let patch = JSONPatch(operations).orReplacement(by: document.value.value(at: path))
        return ValueChange(patch, growth: growth)
    }

    /// The whole value, whatever it was before.
    private func replacement(of size: Int, in document: SharedDocument) -> ValueChange? {
        let new = document.value.value(at: path)
        let newSize = new.encodedSize
        finders.work += newSize
        return ValueChange(
            JSONPatch([.replace(path: JSONPointer(), value: new)]), growth: newSize - size)
    }

    /// What an update takes beyond what it compares.
    private static let updateWork = 512

    func write(to writer: inout JSONWriter) throws { writer.write(kept ?? present) }
}
