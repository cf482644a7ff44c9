package import StorecastSync
package import StorecastWire

/// What a session needs of its connection; every call is made on the session's loop.
package protocol ServerLink: AnyObject {
    /// Different from those of the loop's other connections.
    var id: UInt64 { get }
    /// Whether it takes messages now; it is asked for more when it does again.
    var isWritable: Bool { get }
    /// Sends messages, in one piece.
    func write(_ messages: [ServerMessage])
    /// Closes the connection behind what was written, and these messages, whether or not a write
    /// would be taken now.
    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage])
    /// Stops or goes on reading from the peer.
    func setReading(_ reads: Bool)
    /// Where the peer is, by which anonymous clients are counted: an IPv4 address, or the first 64
    /// bits of an IPv6 one. Empty if it isn't known.
    var peerNetwork: String { get }
    /// How many bytes are held for the peer, or of what it sent, beside what its session knows of.
    var heldBytes: Int { get }
    /// Whether the peer is on this machine.
    var isLocal: Bool { get }
    /// The edge that speaks for the peer; nil if that is connected itself.
    var edge: EdgeClients? { get }
    /// Of a peer whom an edge speaks for: its session has something to say.
    func queue()
    /// Something became of its session.
    func note(_ note: SessionNote)
}

/// What the owner of a session's connection may want to write down.
package enum SessionNote {
    /// The client was let in.
    case entered
    /// It may not have the selection, or there is none.
    case selectionRefused(String, Rejection)
    /// The server ends the connection, and says why.
    case ending(CloseCode, String)
}

extension ServerLink {
    package var peerNetwork: String { "" }
    package var heldBytes: Int { 0 }
    package var isLocal: Bool { false }
    package var edge: EdgeClients? { nil }
    package func queue() {}
    package func note(_ note: SessionNote) {}
}
