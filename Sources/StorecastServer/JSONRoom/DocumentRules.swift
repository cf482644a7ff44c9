import StorecastRoom
public import StorecastSync
import Synchronization

/// Who may read and change which parts of the documents of ``JSONRoom``s, as a file says.
///
/// ```swift
/// let rules = try DocumentRules(file: "rules.json")
/// let room = JSONRoom.definition(initial: [:])
/// SyncServer(rules: rules, rooms: { room.obeying(rules, at: $0) })
/// ```
/// What no rule allows is refused. Docs/Rules.md has the file's form. May be used from any thread.
public final class DocumentRules: Sendable {
    /// Nil for rules that are in no file.
    private let file: String?
    private let current: Mutex<RuleTable>

    /// The rules in a file, which ``SyncServer/reload()`` reads again.
    ///
    /// - Throws: `ServerError.Code.rulesUnusable`, with the place in the file and what is wrong there.
    public init(file path: String) throws(ServerError) {
        file = path
        current = Mutex(try RuleFile.read(path))
    }

    /// Rules that are in no file, and stay as they are until ``replace(by:)``.
    init(_ table: RuleTable) {
        file = nil
        current = Mutex(table)
    }

    /// Reads the file again; the rules stay as they are if that fails. Who was let have something
    /// before isn't asked again by this: ``SyncServer/reload()`` does.
    func reload() throws(ServerError) {
        if let file { replace(by: try RuleFile.read(file)) }
    }

    func replace(by table: RuleTable) { current.withLock { $0 = table } }

    /// How many rules there are.
    public var count: Int { table.count }

    /// The rules as they are now: what is asked of one table goes together.
    var table: RuleTable { current.withLock { $0 } }

    /// Whether some rule is for people who have no token.
    package var admitsAnonymous: Bool { table.admitsAnonymous }
}

extension RoomDefinition<SharedDocument> {
    /// Lets everybody do what the rules allow, and nothing else; in place of other rules.
    ///
    /// Who may do nothing in the room isn't let in.
    ///
    /// - Parameter path: the room's, as rules may be about some rooms only.
    public func obeying(_ rules: DocumentRules, at path: String) -> Self {
        JSONRoom.actions.reduce(self) { $0.obeying(rules, at: path, $1) }
            .authorize(JSONRoom.value) { place, identity in
                let table = rules.table
                let tokens = place.path.pointer.tokens
                guard table.allows(.read, tokens, table.person(identity, in: path)) else {
                    throw Rejection(lacking: .read, of: place.path.pointer, for: identity)
                }
            }
            .allowEntry(
                .checked { _, identity in
                    guard rules.table.person(identity, in: path).rules.isEmpty else { return }
                    throw Rejection(
                        .forbidden, "No rule lets you into this room.",
                        detail: Rejection.people(identity))
                }
            )
            .allowAll(.serverOnly)
    }

    private func obeying<Edit: JSONEdit>(
        _ rules: DocumentRules, at path: String, _ type: Edit.Type
    ) -> Self {
        authorize(type) { edit, identity in
            let table = rules.table
            guard table.allows(edit, table.person(identity, in: path)) else {
                throw Rejection(lacking: edit.right, of: edit.path.pointer, for: identity)
            }
        }
        .narrow(type) { edit, identity in
            let table = rules.table
            guard let whole = edit.whole,
                !table.allows(edit.right, whole.tokens, table.person(identity, in: path))
            else { return edit }
            var edit = edit
            edit.narrow = true
            return edit
        }
    }
}

extension Rejection {
    /// Says which rule it takes; nothing of the document.
    fileprivate init(lacking right: DocumentRight, of path: JSONPointer, for identity: Identity) {
        self.init(
            .forbidden, "No rule lets you do this.",
            detail: "It takes a rule with '\(right.rawValue)' for the path "
                + "'\(path.description.excerpt(128))', or for what is around that"
                + (right == .merge ? ", or for all that is merged" : "") + ". "
                + Self.people(identity))
    }

    fileprivate static func people(_ identity: Identity) -> String {
        let words = RuleTable.words(for: identity)
        let listed = words.prefix(8).map { $0.excerpt(32) }.joined(separator: ", ")
        return "You have the rules for: \(listed)\(words.count > 8 ? " …" : "")."
    }
}

extension Authentication {
    /// Lets those in as anonymous who show no token, while a function says so; others as before.
    package func admittingAnonymous(while isSo: @escaping @Sendable () -> Bool) -> Authentication {
        // What it reads before the server starts stays with it.
        var authentication = self
        authentication.way =
            switch way {
            case .anonymous: .anonymous
            case .known(let identify):
                .known { credentials throws(Rejection) in
                    if credentials.token == nil, isSo() { return .anonymous }
                    return try identify(credentials)
                }
            case .asked(let identify):
                .asked { credentials in
                    if credentials.token == nil, isSo() { return .anonymous }
                    return try await identify(credentials)
                }
            }
        return authentication
    }
}
