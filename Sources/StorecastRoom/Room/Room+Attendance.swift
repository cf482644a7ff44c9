import Storecast
import StorecastWire

/// Tells the log who comes and goes, in rooms that ask for it.
extension Room {
    /// The session's client is in the room.
    func arrived(_ session: ServerSession) {
        guard definition.grace != nil else { return }
        let participant = participantID(of: session.client)
        attendance.connect(participant, user: session.identity.id)
        announce(participant)
    }

    /// The session's client is gone, perhaps to come back at once.
    func departed(_ session: ServerSession) {
        guard definition.grace != nil else { return }
        let participant = participantID(of: session.client)
        attendance.disconnect(participant)
        giveGrace([participant])
    }

    /// The room has read its log: those who were there when the server stopped may come back.
    func awaitPresent() {
        giveGrace(log.present.keys.sorted())
    }

    /// The server's dispatch `seq` has its outcome.
    func settledAnnouncement(_ seq: UInt64) {
        if let participant = attendance.settle(seq, log.present) { announce(participant) }
    }

    private func giveGrace(_ participants: [String]) {
        watch(participants.filter { attendance.beginGrace($0) })
    }

    private func watch(_ participants: [String]) {
        guard let grace = definition.grace, !participants.isEmpty else { return }
        context.host.schedule(after: grace) { [weak self] in
            guard let self else { return }
            watch(participants.filter { attendance.endGrace($0) })
            for participant in participants { announce(participant) }
        }
    }

    private func announce(_ participant: String) {
        guard let announcement = attendance.due(participant, log.present) else { return }
        let action: any SyncAction =
            switch announcement {
            case .joined(let user):
                ClientJoined(
                    participant: participant, user: user.string)
            case .left(let user):
                ClientLeft(
                    participant: participant, user: user.string)
            }
        // Where too much waits for the journal already, it is tried again later.
        guard let seq = dispatch(action) else { return giveGrace([participant]) }
        attendance.announce(participant, announcement, as: seq)
    }
}

/// What stands for a client in everyone's sight: the id that its dispatch 0 would have, as their
/// numbers begin at 1.
package func participantID(of client: String) -> String {
    stampID(client: client, seq: 0)
}
