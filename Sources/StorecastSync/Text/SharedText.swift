/// A text that several people edit at once without losing anything: a part of a state.
///
/// ```swift
/// struct EditNote: SyncAction {
///     var edit: TextEdit
/// }
/// // in the reducer
/// note.text.apply(edit.edit)
/// // in the room's definition
/// .validate(EditNote.self) { note, action, _ in try note.text.check(action.edit, longest: 10_000) }
/// // in a client, with the text as it shows it
/// if let edit = shown.text.edit(by: connection.participant, to: field.text) {
///     connection.dispatch(EditNote(edit: edit))
/// }
/// ```
/// An edit says what it changes in the text that its editor saw. The shared text remembers, for
/// recent edits, who inserted and deleted what, and so finds the same places in the text of now:
///
/// - What somebody inserts stays until somebody who saw it deletes it.
/// - What somebody deletes is gone, but for what others inserted in its midst.
/// - What several insert at one place stands side by side, the later one of the log first: so each
///   of them can type on behind their own text, and the two don't mingle.
///
/// Lengths and offsets count Unicode scalars, in which no offset is in the middle of something that
/// can't be cut, and which don't depend on the version of Unicode that a machine knows.
///
/// For fields and notes, of some 10,000 scalars: an edit costs O(text), and so does its patch.
public struct SharedText: Codable, Equatable, Sendable {
    /// A run of edits of one editor: up to the next run, or to the newest edit.
    struct Turn: Codable, Equatable, Sendable {
        var editor: String
        /// Its first edit.
        var from: Int
    }

    /// Scalars beside one another that came and went with the same edits.
    struct Span: Codable, Equatable, Sendable {
        var count: Int
        /// The edit that inserted them; nil if it has been folded.
        var inserted: Int?
        /// The edits that deleted them, oldest first, each without having seen the others; nil for
        /// none. The span then has no scalars in the text, but edits may still count them.
        var deleted: [Int]?
    }

    /// The text.
    public private(set) var text: String
    /// How many edits have been applied.
    public private(set) var revision = 0
    /// How much is remembered of recent edits, at most: the number of turns, spans and deletions.
    ///
    /// An edit of another editor than the one before adds two or three, and each is some 40 bytes
    /// of the state. Who hasn't seen the edits that are forgotten for that is refused.
    public let memory: Int
    /// Everybody is taken to have seen the edits up to this one.
    private(set) var folded = 0
    /// From the one with the edit ``folded``.
    private(set) var turns: [Turn] = []
    private(set) var spans: [Span]

    /// A text of which nobody has edited anything yet.
    ///
    /// - Parameters:
    ///   - text: what it is at first.
    ///   - memory: how much is remembered of recent edits; see ``memory``. 1,000 are some eight
    ///     minutes of two people who type at the same time and each dispatch an edit every two
    ///     seconds.
    public init(_ text: String = "", memory: Int = 1_000) {
        precondition(memory > 0, "A shared text has to remember something.")
        self.text = text
        self.memory = memory
        let count = text.unicodeScalars.count
        spans = count == 0 ? [] : [Span(count: count)]
    }

    /// The number of Unicode scalars of the text.
    public var count: Int {
        spans.reduce(0) { $0 + ($1.deleted == nil ? $1.count : 0) }
    }

    /// What an editor has seen to whom this text is shown, their own waiting edits included.
    public func version(for editor: String) -> TextVersion {
        // Their own edits at the end may be in the log already, or be waiting: it says the same.
        guard let last = turns.last, last.editor.isSameText(as: editor) else {
            return TextVersion(editor: editor, base: revision, own: 0)
        }
        return TextVersion(editor: editor, base: last.from - 1, own: revision - last.from + 1)
    }

    /// The edit by which an editor makes another text of this one; nil if it is the same.
    ///
    /// What both texts have in common, whole words of it, is left as it is. O(text), and O(n × m)
    /// for n and m words that differ, up to a million; beyond, they are replaced as one.
    ///
    /// - Parameters:
    ///   - editor: who edits: the `participant` of the connection that dispatches the edit. Of 1 to
    ///     64 bytes, and different for each client, as edits of one editor are taken to have been
    ///     made in view of one another.
    ///   - text: the text as it is to be.
    public func edit(by editor: String, to text: String) -> TextEdit? {
        let changes = TextDifference(from: self.text, to: text).changes
        return changes.isEmpty ? nil : TextEdit(version: version(for: editor), changes: changes)
    }

    /// Throws unless the edit can be applied: for ``RoomDefinition/validate(_:_:)``.
    ///
    /// - `invalid`: its changes aren't in order or go beyond the text, or there are none or more
    ///   than ``TextEdit/mostChanges``.
    /// - `conflict`: so many edits have come in between that it can't be told any more what its
    ///   editor saw; or an edit of theirs that it builds on was rejected; or the text would grow
    ///   beyond `longest`.
    ///
    /// - Parameters:
    ///   - edit: is of this text, or of one that it was.
    ///   - longest: how many scalars the text may have.
    public func check(_ edit: TextEdit, longest: Int) throws(Rejection) {
        let count = try edited(edit).count
        guard count <= longest || count <= self.count else {
            throw Rejection(
                .conflict, "The text would be too long.",
                detail: "It would have \(count) characters; at most \(longest).")
        }
    }

    /// Makes the changes of an edit; without effect if it can't be applied. O(text).
    public mutating func apply(_ edit: TextEdit) {
        if let edited = try? edited(edit) { self = edited }
    }

    /// Where an offset in a version of the text is now: behind the same scalar, or where that was.
    ///
    /// For cursors of others, which travel as a version and an offset.
    ///
    /// - Returns: an offset in scalars; nil if it can't be told.
    public func offset(_ offset: Int, of version: TextVersion) -> Int? {
        guard offset >= 0, isSound, let sight = try? sight(of: version) else { return nil }
        var before = 0
        var now = 0
        for span in spans where before < offset {
            let isSeen = sight.shows(span)
            let count = isSeen ? min(span.count, offset - before) : span.count
            if isSeen { before += count }
            if span.deleted == nil { now += count }
        }
        return before == offset ? now : nil
    }

    /// Where the cursor of an editor stands who was shown `older` and is shown this text now.
    ///
    /// What others insert at the cursor comes behind it. At the same distance from the beginning,
    /// if it can't be told.
    public func place(
        of cursor: String.Index, in older: SharedText, for editor: String
    ) -> String.Index {
        let scalars = text.unicodeScalars
        let distance = older.text.unicodeScalars.distance(
            from: older.text.startIndex, to: cursor)
        let now = offset(distance, of: older.version(for: editor)) ?? distance
        return scalars.index(scalars.startIndex, offsetBy: now, limitedBy: scalars.endIndex)
            ?? scalars.endIndex
    }
}

extension SharedText {
    /// Which edits somebody has seen.
    private struct Sight {
        let base: Int
        /// Their own edits are seen up to this one.
        let last: Int
        let isOwn: (Int) -> Bool

        func sees(_ edit: Int) -> Bool {
            edit <= base || (edit <= last && isOwn(edit))
        }

        func shows(_ span: Span) -> Bool {
            (span.inserted.map(sees) ?? true) && span.deleted?.contains(where: sees) != true
        }
    }

    private func sight(of version: TextVersion) throws(Rejection) -> Sight {
        guard version.isWellFormed else {
            throw Rejection(.invalid, "The edit's version can't be used.")
        }
        guard let last = lastOwn(version), isKnown(version, last: last) else {
            throw Rejection(
                .conflict, "The edit doesn't fit the text any more.",
                detail: "It was made at \(version.base) with \(version.own) edits waiting; "
                    + "known are those from \(folded) to \(revision).")
        }
        return Sight(base: version.base, last: last) { edit in
            editor(of: edit)?.isSameText(as: version.editor) == true
        }
    }

    /// Whether what is left of the version's text can be told from what isn't: all edits that are
    /// folded are in it, those that the version's base doesn't have because they are its editor's.
    private func isKnown(_ version: TextVersion, last: Int) -> Bool {
        guard version.base < folded else { return true }
        return editor(of: folded)?.isSameText(as: version.editor) == true && last >= folded
            && turns[0].from <= version.base + 1
    }

    /// The last edit of their own that the version's editor has seen; nil if it isn't there.
    private func lastOwn(_ version: TextVersion) -> Int? {
        guard version.base <= revision else { return nil }
        var missing = version.own
        guard missing > 0 else { return version.base }
        for (place, turn) in turns.enumerated() where turn.editor.isSameText(as: version.editor) {
            let end = place + 1 < turns.count ? turns[place + 1].from - 1 : revision
            let first = max(turn.from, version.base + 1)
            guard first <= end else { continue }
            if missing <= end - first + 1 { return first + missing - 1 }
            missing -= end - first + 1
        }
        return nil
    }

    /// Nil if it isn't known any more. O(log turns).
    private func editor(of edit: Int) -> String? {
        var (low, high) = (0, turns.count)
        while low < high {
            let middle = (low + high) / 2
            if turns[middle].from <= edit { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : turns[low - 1].editor
    }

    /// False if it has been read from something that wasn't a shared text.
    private var isSound: Bool {
        let bound = 1 << 48
        return 0...bound ~= revision && 0...revision ~= folded && spans.count < bound
            && spans.allSatisfy { 1...(1 << 40) ~= $0.count }
            && count == text.unicodeScalars.count
    }

    private func edited(_ edit: TextEdit) throws(Rejection) -> SharedText {
        guard isSound else { throw Rejection(.internal, "The text is damaged.") }
        guard edit.isWellFormed else {
            throw Rejection(.invalid, "The edit's changes can't be used.")
        }
        let sight = try sight(of: edit.version)
        var weaver = Weaver(self, edit.changes, edit: revision + 1)
        for span in spans { weaver.pass(span, isSeen: sight.shows(span)) }
        guard weaver.isDone else {
            throw Rejection(
                .invalid, "The edit goes beyond the end of the text.",
                detail: "The text that it was made of has \(weaver.seen) characters.")
        }
        var text = self
        text.take(weaver, by: edit.version.editor)
        return text
    }

    private mutating func take(_ weaver: Weaver, by editor: String) {
        (text, spans) = (weaver.text, weaver.spans)
        revision += 1
        if turns.last?.editor.isSameText(as: editor) != true {
            turns.append(Turn(editor: editor, from: revision))
        }
        while weight > memory, folded < revision { fold() }
    }

    private var weight: Int {
        spans.reduce(turns.count) { $0 + 1 + ($1.deleted?.count ?? 0) }
    }

    /// Forgets the oldest edit that a span knows of, and all before it.
    private mutating func fold() {
        let known = spans.lazy.flatMap { span in
            [span.inserted, span.deleted?.first].compactMap(\.self)
        }
        folded = known.min() ?? revision
        var kept: [Span] = []
        for span in spans {
            if let first = span.deleted?.first, first <= folded { continue }
            var span = span
            if let inserted = span.inserted, inserted <= folded { span.inserted = nil }
            kept.append(joining: span)
        }
        spans = kept
        let first = turns.lastIndex { $0.from <= folded } ?? 0
        turns.removeFirst(first)
    }
}

/// Goes through the spans of a text and makes the changes of one edit.
private struct Weaver {
    private(set) var text = ""
    private(set) var spans: [SharedText.Span] = []
    /// How many scalars have been passed that the editor saw.
    private(set) var seen = 0
    private let edit: Int
    private let changes: [TextChange]
    /// How many changes' places have been reached.
    private var begun = 0
    private var toDelete = 0
    /// What of the text before is still to come.
    private var rest: Substring

    init(_ shared: SharedText, _ changes: [TextChange], edit: Int) {
        self.edit = edit
        self.changes = changes
        rest = shared.text[...]
        spans.reserveCapacity(shared.spans.count + 4)
        begin()
    }

    var isDone: Bool { begun == changes.count && toDelete == 0 }

    mutating func pass(_ span: SharedText.Span, isSeen: Bool) {
        guard isSeen else { return emit(span, count: span.count) }
        var left = span.count
        while left > 0 {
            var count = left
            let isDeleted = toDelete > 0
            if isDeleted {
                count = min(left, toDelete)
                toDelete -= count
            } else if begun < changes.count {
                count = min(left, changes[begun].at - seen)
            }
            emit(span, count: count, isDeleted: isDeleted)
            seen += count
            left -= count
            begin()
        }
    }

    /// Inserts what belongs here: right behind what its editor saw before it, and so before what
    /// others have inserted at the same place meanwhile.
    private mutating func begin() {
        guard toDelete == 0, begun < changes.count, changes[begun].at == seen else { return }
        let change = changes[begun]
        begun += 1
        toDelete = change.delete
        guard !change.insert.isEmpty else { return }
        text += change.insert
        spans.append(
            joining: SharedText.Span(count: change.insert.unicodeScalars.count, inserted: edit))
    }

    private mutating func emit(_ span: SharedText.Span, count: Int, isDeleted: Bool = false) {
        var span = span
        span.count = count
        if span.deleted == nil {
            let end = rest.unicodeScalars.index(rest.startIndex, offsetBy: count)
            if !isDeleted { text += rest[..<end] }
            rest = rest[end...]
        }
        if isDeleted { span.deleted = (span.deleted ?? []) + [edit] }
        spans.append(joining: span)
    }
}

extension [SharedText.Span] {
    /// Appends a span, to the last one if both came and went with the same edits.
    fileprivate mutating func append(joining span: SharedText.Span) {
        if let last, last.inserted == span.inserted, last.deleted == span.deleted {
            self[count - 1].count += span.count
        } else {
            append(span)
        }
    }
}
