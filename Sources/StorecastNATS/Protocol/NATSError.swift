/// Why NATS didn't do what it was asked.
package enum NATSError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nothing was sent, with the reason.
    case unavailable(String)
    /// It was sent, and nobody can tell what became of it.
    case unanswered(String)
    /// There is no such stream.
    case missing(String)
    /// NATS doesn't permit it to who this is, with what it says. Of several on one subject it may have
    /// been about another one, if what is permitted has changed since.
    case forbidden(String)
    /// Nobody listens to that subject.
    case noResponders
    /// A server of the cluster says no, or there is no such server or room, with the reason.
    case refused(String)
    /// A peer doesn't keep to the protocol, or to our limits.
    case violation(String)

    /// Servers make their streams when they start, and there are none.
    package static func neverStarted(_ name: String) -> NATSError {
        .refused(
            "No server of the cluster '\(name)' has been started at this NATS yet; is --nats-name "
                + "right?")
    }

    /// A sentence.
    package var description: String {
        switch self {
        case .unavailable(let text), .unanswered(let text), .missing(let text),
            .forbidden(let text), .refused(let text), .violation(let text):
            text
        case .noResponders: "Nobody at NATS answers to this subject."
        }
    }
}
