import StorecastWire

/// Who wrote a room's history, one after the other: a term begins when somebody takes it over.
///
/// A log that says terms may have lost its end, and may be longer again. A client's position is of
/// this history if its term is one of these and had come as far as that: the end of a term is what
/// its successor read, so what came behind it is lost (Docs/Decisions/41).
package struct RoomTerms: Equatable, Sendable {
    private struct Term: Equatable, Sendable {
        var id: String
        /// The version at which it began, and the one before it ended.
        var start: UInt64
    }

    /// The oldest first.
    private var terms: [Term] = []

    /// How many are kept. Whoever was away for longer gets everything anew.
    static let most = 64

    package init() {}

    /// The one in force; nil if the journal says none.
    package var current: String? { terms.last?.id }

    /// Another one begins. If it is known, whoever came after it is lost.
    mutating func begin(_ id: String, at version: UInt64) {
        if let place = terms.firstIndex(where: { $0.id.isSameText(as: id) }) {
            return terms.removeSubrange((place + 1)...)
        }
        terms.append(Term(id: id, start: version))
        if terms.count > Self.most { terms.removeFirst(terms.count - Self.most) }
    }

    /// How what a client has seen stands to a history.
    enum Relation: Equatable {
        /// It is a part of it.
        case part
        /// It is of it, and further than it has come.
        case ahead
        /// It isn't, or not any more.
        case lost
        /// Nobody here knows the term: it may be a later one.
        case unknown
    }

    /// - Parameters:
    ///   - term: in which the client has seen it; nil from a client that knows nothing of terms.
    ///   - end: the version that the history has come to.
    func relation(of version: UInt64, in term: String?, end: UInt64) -> Relation {
        // The beginning is that of every history.
        if version == 0 { return .part }
        guard let term, !terms.isEmpty else { return version <= end ? .part : .ahead }
        guard let place = terms.firstIndex(where: { $0.id.isSameText(as: term) }) else {
            return .unknown
        }
        if place + 1 < terms.count { return version <= terms[place + 1].start ? .part : .lost }
        return version <= end ? .part : .ahead
    }
}

extension RoomTerms {
    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for term in terms {
            writer.beginObject()
            writer.member("id", term.id)
            writer.member("start", term.start)
            writer.endObject()
        }
        writer.endArray()
    }

    /// Throws if it isn't what was written.
    init(_ view: JSONView) throws {
        for term in view.elements {
            guard let id = term["id"]?.string, let start = term["start"]?.uint64 else {
                throw SnapshotError("Its terms can't be read.")
            }
            begin(id, at: start)
        }
    }
}
