import StorecastWire

/// An edit of a ``SharedText``, for an action to carry.
public struct TextEdit: Codable, Equatable, Sendable {
    /// The most changes of one edit; 100.
    public static let mostChanges = 100

    /// What its editor saw.
    public var version: TextVersion
    /// What is to change in that, from its beginning to its end, with something left in between.
    public var changes: [TextChange]

    /// An edit; ``SharedText/edit(by:to:)`` makes it of two texts.
    public init(version: TextVersion, changes: [TextChange]) {
        self.version = version
        self.changes = changes
    }

    /// Whether the changes are as they have to be, in whatever text.
    var isWellFormed: Bool {
        guard 1...Self.mostChanges ~= changes.count else { return false }
        var end = -1
        for change in changes {
            guard change.at > end, change.delete >= 0, change.delete > 0 || !change.insert.isEmpty,
                change.at < TextVersion.bound, change.delete < TextVersion.bound
            else { return false }
            end = change.at + change.delete
        }
        return true
    }
}

/// A part of a text that is replaced by another.
public struct TextChange: Codable, Equatable, Sendable {
    /// Where, in Unicode scalars from the beginning of the text before the edit.
    public var at: Int
    /// How many Unicode scalars are deleted from there; 0 or more.
    public var delete: Int
    /// What comes in their place; may be empty if something is deleted.
    public var insert: String

    /// A change.
    public init(at: Int, delete: Int = 0, insert: String = "") {
        self.at = at
        self.delete = delete
        self.insert = insert
    }
}

/// What an editor of a ``SharedText`` has seen of it: all edits up to one, and some of their own.
public struct TextVersion: Codable, Equatable, Sendable {
    /// Stands for the client that edits, see ``SharedText/edit(by:to:)``.
    public var editor: String
    /// All edits up to this one, as ``SharedText/revision`` counts them.
    public var base: Int
    /// And so many of the editor's own, which came after it or are still to come.
    public var own: Int

    /// A version; ``SharedText/version(for:)`` says which is shown.
    public init(editor: String, base: Int, own: Int) {
        self.editor = editor
        self.base = base
        self.own = own
    }

    static let bound = 1 << 48

    var isWellFormed: Bool {
        1...64 ~= editor.utf8.count && 0...Self.bound ~= base && 0...Self.bound ~= own
    }
}
