/// An action that the server completes with who sent it, when, and a random seed.
///
/// Declare `var stamp = Stamp()` in the action. The stamp is never read from a payload nor written
/// to one, so that a client can't forge it; the journal keeps it beside the payload. It is how a
/// deterministic reducer gets time, identity and randomness.
public protocol Stamped: SyncAction {
    /// The server's stamp; on a client, before the server has answered, a provisional one.
    var stamp: Stamp { get set }
}
