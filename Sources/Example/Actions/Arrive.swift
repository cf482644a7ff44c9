public import StorecastSync

/// Says that the sender is at the board now.
///
/// A client dispatches it when it has connected, and again after it lost the connection: to arrive
/// twice changes nothing but the name.
public struct Arrive: Stamped, BoardAction, Equatable {
    /// What the others see; nil: the sender's id. Anonymous users are told apart by it.
    public var name: String?
    /// Who does it and when, from the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(name: String? = nil) {
        self.name = name
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        if let name { try BoardLimits.check(name, "name", limit: BoardLimits.name) }
    }

    package func apply(to board: inout Board) {
        let id = Participant.id(of: stamp.sender, named: name)
        let shown =
            name ?? (stamp.sender == .anonymous ? Participant.anonymousName : stamp.sender.id)
        if let index = board.present.firstIndex(where: { $0.id == id }) {
            board.present[index].name = shown
            return
        }
        // Clients that died never left: they make room for those who come.
        if board.present.count >= BoardLimits.participants { board.present.removeFirst() }
        board.present.append(Participant(id: id, name: shown, since: stamp.time))
    }
}
