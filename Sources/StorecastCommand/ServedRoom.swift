import Example
import Foundation
import StorecastSQLite
import StorecastServer
import StorecastTools
import Synchronization

/// The room that `storecast serve` served, found from the file that it left.
enum ServedRoom {
    private static let document = JSONRoom.definition(initial: .null)
    private static let boardTypes = Set(
        Board.room.actions.names + [ClientJoined.wireName, ClientLeft.wireName])

    /// The board or a JSON document, whichever has the room's first actions or its first state; the
    /// board if there is no file.
    @Sendable
    static func definition(
        of room: String, in file: JournalFile?
    ) throws -> (any RoomDefinitionProtocol)? {
        guard let file else { return room == "/" ? Board.room : nil }
        let types = try file.entries(of: room, after: 0, limit: 100).lazy
            .compactMap(\.record).flatMap(\.actions).map(\.type)
        if types.contains(where: document.actions.names.contains) {
            return try document(room, in: file)
        }
        if !types.isEmpty { return types.allSatisfy(boardTypes.contains) ? Board.room : nil }
        guard let oldest = try file.snapshots(of: room).first,
            let kept = try file.snapshot(of: room, through: oldest.offset)
        else { return nil }
        let isBoard = (try? Board.room.replay(SyncLimits()).restore(kept)) != nil
        return isBoard ? Board.room : document
    }

    /// The rooms that a file has; none if it isn't there yet.
    static func names(in path: String) throws(JournalError) -> [String] {
        guard access(path, F_OK) == 0 else { return [] }
        let file = try JournalFile(path)
        defer { file.close() }
        return try file.names()
    }

    /// Whether the history in a file is known to have begun with another document than this.
    static func began(otherThan document: JSON, in path: String) -> Bool {
        guard let file = try? JournalFile(path) else { return false }
        defer { file.close() }
        guard let room = try? file.rooms().first(where: { $0.name == "/" }), room.entries > 0,
            let kept = try? file.snapshot(of: "/", through: 0),
            let hash = try? JSONDocument(kept.content, limits: .trusted).root["hash"]?.string
        else { return false }
        return hash != document.stateHash
    }

    /// The document with which it began is in a snapshot.
    private static func document(
        _ room: String, in file: JournalFile
    ) throws -> any RoomDefinitionProtocol {
        let isThere =
            try file.floor(of: room) > 0 || file.snapshot(of: room, through: 0) != nil
        guard isThere else {
            throw CommandFailure(
                .trouble,
                "The JSON document with which room '\(room)' began isn't in '\(file.path)', so its "
                    + "states aren't known.")
        }
        return document
    }
}

/// The boards beside the one at `/`, which begin when somebody opens their URLs: how many there may be
/// is bounded, as each stays in the journal.
final class NamedBoards: Sendable {
    static let most = 10_000
    private let names: Mutex<Set<ExactString>>

    /// - Parameter names: the rooms that there are.
    init(_ names: [String]) {
        self.names = Mutex(Set(names.lazy.filter { $0 != "/" }.map { ExactString($0) }))
    }

    /// Whether there is the board, or may be from now on.
    func admit(_ path: String) -> Bool {
        path == "/"
            || names.withLock { names in
                guard names.count < Self.most else { return names.contains(ExactString(path)) }
                names.insert(ExactString(path))
                return true
            }
    }
}
