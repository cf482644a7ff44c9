package import StorecastSync
import StorecastWire

/// The sessions of a loop: how they begin and end, and the times that are watched for them.
extension RoomLoop {
    /// Begins the session of a connection to the room of `path`; nil if there is no such room, and
    /// then the connection is closed.
    package func begin(_ link: any ServerLink, in path: String) -> ServerSession? {
        guard path.utf8.count <= RoomPath.longestName else {
            let most = RoomPath.longestName
            refuse(link, .noRoom, "A room's name may have \(most) bytes.")
            return nil
        }
        guard RoomPath.isName(path), let room = room(path) else {
            let isFull = rooms.count >= limits.rooms
            if isFull { flushes.counts.reached("rooms") }
            refuse(
                link, isFull ? .full : .noRoom,
                isFull ? "The server has as many rooms as it takes." : host.lack(ofRoom: path))
            return nil
        }
        guard !isShort else {
            flushes.counts.reached("memory")
            refuse(link, .full, "The server has too little memory.")
            return nil
        }
        // Sockets are counted before they come here, and many clients of edges share one.
        guard link.edge == nil || passed < limits.connections else {
            flushes.counts.reached("connections")
            refuse(link, .full, "The server has as many connections as it takes.")
            return nil
        }
        let session = ServerSession(room: room, loop: self, link: link)
        session.trace = host.trace(of: session)
        let network = link.peerNetwork
        guard network.isEmpty || link.isLocal || session.enter(.address(ExactString(network)))
        else {
            flushes.counts.reached("connections-per-address")
            refuse(link, .full, "The address has as many connections as it may.")
            return nil
        }
        visitors[ExactString(room.name), default: 0] += 1
        idleRooms.entered(room.name)
        sessions[link.id] = session
        if session.isPassedOn { passed += 1 }
        greetings.append((host.now + limits.helloTimeout, link.id))
        watchGreetings()
        return session
    }

    /// Ends the connections to a room, whether or not they were let in. Clients that come through
    /// edges stay there: their edges connect again. O(connections).
    func close(connectionsTo room: any AnyRoom, _ code: CloseCode, _ title: String) {
        let own = sessions.filter { $0.value.room === room && !$0.value.isPassedOn }
        for (_, session) in own.sorted(by: { $0.key < $1.key }) { session.close(code, title) }
    }

    /// Ends what the rules of rooms don't allow any more, as these have changed.
    package func askRulesAgain() {
        for (_, session) in sessions.sorted(by: { $0.key < $1.key }) { session.askRulesAgain() }
    }

    /// The connection of a link is over.
    package func end(_ id: UInt64) {
        guard let session = sessions.removeValue(forKey: id) else { return }
        session.disconnected()
        if session.isPassedOn { passed -= 1 }
        times.set(id, at: nil)
        forgetGreetings()
        let path = session.room.name
        let name = ExactString(path)
        let count = visitors[name, default: 1] - 1
        visitors[name] = count > 0 ? count : nil
        forgetUntouched(path)
        use(path)
    }

    private func refuse(_ link: any ServerLink, _ code: CloseCode, _ title: String) {
        link.note(.ending(code, title))
        let isFull = code == .full
        let bye = ServerFrame.Bye(
            code: code.word, title: title, reconnect: code.allowsReconnect,
            after: isFull ? 10 : 0, jitter: isFull ? 10 : 0)
        link.close(code, reason: code.word, behind: [.bye(bye)])
    }

    /// Closes connections that haven't said hello in time.
    private func watchGreetings() {
        guard !isWatchingGreetings, let first = greetings.first else { return }
        isWatchingGreetings = true
        host.schedule(after: max(.zero, first.deadline - host.now)) { [weak self] in
            guard let self else { return }
            isWatchingGreetings = false
            let now = host.now
            let due = greetings.prefix { $0.deadline <= now }
            greetings.removeFirst(due.count)
            for greeting in due {
                guard let session = sessions[greeting.id], session.phase == .awaitingHello
                else { continue }
                flushes.counts.reached("hello-timeout")
                session.close(.helloTimeout, "No hello came in time.")
            }
            watchGreetings()
        }
    }

    /// Whoever comes and goes again and again leaves nothing: those are forgotten who have gone, when
    /// they are more than those who are there.
    private func forgetGreetings() {
        guard greetings.count > 2 * sessions.count + 64 else { return }
        greetings.removeAll { sessions[$0.id]?.phase != .awaitingHello }
    }

    package func watch(_ session: ServerSession, at time: Timestamp?) {
        guard let id = session.link?.id else { return }
        times.set(id, at: time)
        watchTimes()
    }

    /// Looks every second, as long as there is something to look for: the time of day may step.
    private func watchTimes() {
        guard !isWatchingTimes, !times.isEmpty else { return }
        isWatchingTimes = true
        host.schedule(after: .seconds(1)) { [weak self] in
            guard let self else { return }
            isWatchingTimes = false
            for id in times.takeDue(at: timeOfDay) { sessions[id]?.checkExpiry() }
            watchTimes()
        }
    }
}
