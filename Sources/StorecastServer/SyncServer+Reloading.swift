import Logging
public import StorecastRoom
import StorecastSync

/// What changes while a server runs: files that are read again, bounds, and who may be there.
extension SyncServer {
    /// Reads again the files of its certificate, of its rules, and of tokens or keys that its
    /// authentication goes by; opens the file of its audit log anew, which may have been moved
    /// away.
    ///
    /// Connections that are open stay as they are encrypted, and those that come have the new
    /// certificate. Subscriptions that the rules don't allow any more end (`lapse` with
    /// `forbidden`), and so do connections of those who may do nothing in their room. Connections
    /// of identities of which a token isn't there any more, or stands for something else, end with
    /// close code 4004, and may come back with another. In a cluster both parts of the server do so.
    ///
    /// What can't be read stays as it is, and is logged: throws then, when the rest is done, the
    /// first ``ServerError``, or what the authentication or `onReload` throws.
    public func reload() async throws {
        // First, as what was moved away is complete then.
        let parts = [
            reopenAudit, reloadCertificate, reloadRules, reloadAuthentication,
            { [self] in try await onReload?(self) },
        ]
        var problem: (any Error)?
        for part in parts {
            do { try await part() } catch {
                configuration.logger.error("\(error)")
                problem = problem ?? error
            }
        }
        // It has logged itself what it couldn't do.
        do { try await part?.owner.reload() } catch { problem = problem ?? error }
        if let problem { throw problem }
    }

    private func reopenAudit() async throws { try await configuration.audit?.reopen() }

    private func reloadCertificate() async throws {
        guard let certificate = configuration.certificate else { return }
        try certificate.reload()
        configuration.logger.info("certificate reloaded")
        warnOfExpiry()
    }

    private func reloadRules() async throws {
        guard let rules = configuration.rules else { return }
        try rules.reload()
        for loop in runningLoops() { await loop.askRulesAgain() }
        configuration.logger.info("rules reloaded")
        warnOfIdleRules()
    }

    private func reloadAuthentication() async throws {
        guard let reload = configuration.authentication.reload else { return }
        let isRevoked = try await reload()
        let count = await revoke(where: isRevoked)
        configuration.logger.log(.info, "authentication reloaded", [.ended: count])
    }

    /// Sets the bounds on what clients may send, have and cost, while it runs.
    ///
    /// They hold at once, also for who is connected. Those that are fixed (`NamedLimit.isFixed`)
    /// stay as they are until the next start; returns the names of those that would have changed.
    @discardableResult
    public func setLimits(_ limits: SyncLimits) async -> [String] {
        var limits = limits
        let fixed = limits.keep(fixedOf: configuration.limits)
        for loop in runningLoops() { await loop.set(limits) }
        _ = await part?.owner.setLimits(limits.ofOwner)
        return fixed
    }

    /// Sets the sites whose pages may connect, beside the server's own, while it runs; pages that
    /// are connected stay so.
    ///
    /// - Parameter origins: as `allowedOrigins` of the initializer.
    public func setAllowedOrigins(_ origins: [String]) async {
        for loop in runningLoops() { await loop.allow(AllowedOrigins(origins)) }
        await part?.owner.setAllowedOrigins(origins)
    }

    /// Says which rules are for no room, or for nobody.
    func warnOfIdleRules() {
        guard let table = configuration.rules?.table else { return }
        for pattern in configuration.paths.map(table.strangers) ?? [] {
            configuration.logger.warning(
                "there are rules for rooms '\(pattern)', and no room has such a path")
        }
        guard let roles = configuration.authentication.roles else { return }
        let had = Set(roles().map { ExactString($0) })
        let idle = table.namedRoles.filter { !had.contains(ExactString($0)) }
        guard !idle.isEmpty else { return }
        configuration.logger.warning(
            "there are rules for roles that nobody has: \(KnownNames(idle).text)")
    }

    func warnOfExpiry() {
        guard let days = configuration.certificate?.daysLeft, days < 0 else { return }
        configuration.logger.warning("the certificate has expired: clients will refuse it")
    }

    /// Ends the connections of an identity, whatever its roles, with close code 4004; returns how
    /// many there were.
    ///
    /// For when somebody is to be shut out, or has new roles, before the token expires: have
    /// authentication know it first. By itself this keeps nobody out: clients connect again, and
    /// are let in if authentication takes what they show then. A check that is under way counts as
    /// made before. In a cluster these are the connections to this server: have each do it.
    @discardableResult
    public func revoke(_ identity: Identity) async -> Int {
        await revoke { $0.id.isSameText(as: identity.id) }
    }

    /// Ends the connections of the identities of which `isRevoked` says so, as ``revoke(_:)`` does.
    ///
    /// - Parameter isRevoked: called on every loop, for each connection: keep it short. Those of
    ///   clients that are about to be welcomed may be asked about until their check has ended.
    @discardableResult
    public func revoke(where isRevoked: @escaping @Sendable (Identity) -> Bool) async -> Int {
        var count = 0
        for loop in runningLoops() { count += await loop.revoke(where: isRevoked) }
        return count
    }
}
