import Storecast
import StorecastSync
import StorecastWire

/// Who is connected to a room, and what its log should be told of it.
///
/// Participants are named by their public ids. It is told of everything that happens and asked what
/// is due, so that it doesn't matter in which order things happen, or whether they fail.
struct Attendance {
    enum Announcement: Equatable {
        case joined(user: ExactString)
        case left(user: ExactString)
    }

    private enum Grace {
        case running
        /// The participant came back and left again: once more from the start.
        case renewed
    }

    private var connected: [String: ExactString] = [:]
    private var graces: [String: Grace] = [:]
    /// By the number of the server's dispatch.
    private var underway: [UInt64: (participant: String, announcement: Announcement)] = [:]
    private var beingAnnounced: Set<String> = []
    /// How many announcements were made lately.
    var recent = TokenBucket()

    /// Whether nothing is about to happen by itself.
    var isQuiet: Bool { graces.isEmpty && underway.isEmpty }

    /// What the log should be told of a participant now.
    ///
    /// - Parameter present: the users of those who are there by the log.
    func due(_ participant: String, _ present: [String: ExactString]) -> Announcement? {
        guard !beingAnnounced.contains(participant) else { return nil }
        switch (present[participant], connected[participant]) {
        case (nil, let user?): return .joined(user: user)
        case (let user?, nil) where graces[participant] == nil: return .left(user: user)
        // The client id came to another identity.
        case (let user?, let other?) where user != other: return .left(user: user)
        default: return nil
        }
    }

    /// It is told so by the server's dispatch `seq`.
    mutating func announce(
        _ participant: String, _ announcement: Announcement, as seq: UInt64
    ) {
        underway[seq] = (participant, announcement)
        beingAnnounced.insert(participant)
    }

    /// The server's dispatch `seq` has its outcome; returns whom it was about if now there is
    /// something else to be told.
    ///
    /// What was stopped by middleware or rejected isn't said a second time.
    mutating func settle(_ seq: UInt64, _ present: [String: ExactString]) -> String? {
        guard let (participant, announcement) = underway.removeValue(forKey: seq) else {
            return nil
        }
        beingAnnounced.remove(participant)
        return due(participant, present) == announcement ? nil : participant
    }

    // MARK: Connections

    mutating func connect(_ participant: String, user: String) {
        connected[participant] = ExactString(user)
    }

    mutating func disconnect(_ participant: String) {
        connected[participant] = nil
    }

    /// Gives time to come back; true if that is to be watched from now on. However often someone
    /// comes and goes, there is one to watch.
    mutating func beginGrace(_ participant: String) -> Bool {
        let isNew = graces[participant] == nil
        graces[participant] = isNew ? .running : .renewed
        return isNew
    }

    /// The time is over; true if it begins once more.
    mutating func endGrace(_ participant: String) -> Bool {
        let grace = graces.removeValue(forKey: participant)
        guard grace == .renewed, connected[participant] == nil else { return false }
        graces[participant] = .running
        return true
    }
}

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
        // Where too many were made lately, or too much waits for the journal already, it is tried
        // again later.
        let now = context.loop.seconds
        let rate = limits.announcementsPerSecond
        let burst = Double(limits.announcements) / rate
        guard attendance.recent.wait(for: 1, at: now, rate, burst: burst) == 0
        else { return giveGrace([participant]) }
        attendance.recent.take(1, at: now, rate)
        guard let seq = dispatch(action) else { return giveGrace([participant]) }
        attendance.announce(participant, announcement, as: seq)
    }
}
