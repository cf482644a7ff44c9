public import StorecastSync

/// Says that the sender is no longer at the board; without effect if it wasn't.
public struct Leave: Stamped, BoardAction, Equatable {
    /// The name that an anonymous sender arrived with; others leave it out.
    public var name: String?
    /// Who does it and when, from the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(name: String? = nil) {
        self.name = name
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {}

    package func apply(to board: inout Board) {
        let id = Participant.id(of: stamp.sender, named: name)
        board.present.removeAll { $0.id == id }
    }
}
