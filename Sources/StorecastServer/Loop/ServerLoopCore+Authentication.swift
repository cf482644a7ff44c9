import Logging
import StorecastRoom
import StorecastSync

/// The checks of tokens that are under way on a loop.
struct TokenChecks {
    private struct Check {
        let connection: UInt64
        let deadline: Duration
        var task: Task<Void, Never>?
        /// Whether somebody waits for the answer.
        var isAwaited = true
    }

    private var underway: [UInt64: Check] = [:]
    private var last: UInt64 = 0
    /// Whether a timer is set for the next deadline.
    var isWatched = false

    /// How many there are: a check that nobody waits for any more counts until it has ended.
    var count: Int { underway.count }

    /// The first deadline of those that somebody waits for. O(checks).
    var nextDeadline: Duration? {
        underway.values.lazy.filter(\.isAwaited).map(\.deadline).min()
    }

    /// Begins one; returns its number.
    mutating func begin(for connection: UInt64, until deadline: Duration) -> UInt64 {
        last += 1
        underway[last] = Check(connection: connection, deadline: deadline)
        return last
    }

    mutating func set(_ task: Task<Void, Never>, of number: UInt64) {
        underway[number]?.task = task
    }

    /// One has ended: the connection that waits for its answer, or nil.
    mutating func end(_ number: UInt64) -> UInt64? {
        guard let check = underway.removeValue(forKey: number), check.isAwaited else { return nil }
        return check.connection
    }

    /// Gives up those that take too long; returns the connections that waited. O(checks).
    mutating func giveUp(at now: Duration) -> [UInt64] {
        giveUp { $0.deadline <= now }
    }

    /// Gives up what the connection waited for, as it has ended. O(checks).
    mutating func giveUp(for connection: UInt64) {
        if !underway.isEmpty { _ = giveUp { $0.connection == connection } }
    }

    private mutating func giveUp(_ isOver: (Check) -> Bool) -> [UInt64] {
        underway.keys.sorted().compactMap { number in
            guard let check = underway[number], check.isAwaited, isOver(check) else { return nil }
            check.task?.cancel()
            underway[number]?.isAwaited = false
            return check.connection
        }
    }
}

extension ServerLoopCore {
    func authenticate(_ session: ServerSession, token: String?) {
        guard let id = session.link?.id, let link = links[id] else { return }
        link.record.token = token
        if let part = part(at: session.room.name) {
            return session.authenticated(part.identity(token: token))
        }
        var credentials = link.credentials
        credentials.token = token
        switch configuration.authentication.way {
        case .anonymous: session.authenticated(.success(.anonymous))
        case .known(let identify):
            session.authenticated(
                Result { () throws(Rejection) in try identify(credentials) }
                    .flatMap(rooms.admitted))
        case .asked(let identify): check(credentials, of: session, id, identify)
        }
    }

    private func check(
        _ credentials: Credentials, of session: ServerSession, _ id: UInt64,
        _ identify: @escaping @Sendable (Credentials) async throws -> Identity
    ) {
        let limits = configuration.limits
        guard checks.count < limits.tokenChecks, peers.indices.contains(index) else {
            return session.authenticated(
                .failure(Self.busy("The server checks as many tokens as it can.")))
        }
        let number = checks.begin(for: id, until: now + limits.tokenCheckTimeout)
        let home = peers[index]
        let task = Task {
            do {
                let identity = try await identify(credentials)
                home.perform { core in core.checked(number, core.rooms.admitted(identity)) }
            } catch let rejection as Rejection {
                home.perform { $0.checked(number, .failure(rejection)) }
            } catch {
                let problem = credentials.redacting("\(error)")
                home.perform { core in
                    core.checked(
                        number,
                        .failure(
                            Rejection(.unauthenticated, "The server could not check the token.")),
                        problem)
                }
            }
        }
        checks.set(task, of: number)
        watchChecks()
    }

    private func checked(
        _ number: UInt64, _ result: Result<Identity, Rejection>, _ problem: String? = nil
    ) {
        // Whoever gave up the check was told so, and its end may be the cancellation.
        guard let id = checks.end(number) else { return }
        if let problem {
            configuration.logger.log(
                .error, "Authentication failed: \(problem)",
                [.connection: id, .address: links[id]?.credentials.address ?? ""])
        }
        rooms.sessions[id]?.authenticated(result)
    }

    func admitted(_ identity: Identity) -> Result<Identity, Rejection> {
        if configuration.revocations.contains(identity.id) {
            return .failure(Rejection(.forbidden, "This identity isn't let in any more."))
        }
        return .success(identity)
    }

    private func watchChecks() {
        guard !checks.isWatched, let deadline = checks.nextDeadline else { return }
        checks.isWatched = true
        schedule(after: max(.zero, deadline - now)) { [weak self] in
            guard let self else { return }
            checks.isWatched = false
            let late = checks.giveUp(at: now)
            if !late.isEmpty {
                report("Authentication failed: \(late.count) checks took too long.")
            }
            for id in late {
                rooms.sessions[id]?.authenticated(
                    .failure(Self.busy("The server could not check the token in time.")))
            }
            watchChecks()
        }
    }

    private static func busy(_ title: String) -> Rejection {
        Rejection(.busy, title, retryAfter: .seconds(1))
    }
}
