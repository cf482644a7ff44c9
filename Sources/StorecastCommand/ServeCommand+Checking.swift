import ArgumentParser
import StorecastCluster
import StorecastServer

/// What is wrong with the options, and with the files that they name.
extension ServeCommand {
    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("A port is a number from 0 to 65535; \(port) isn't.")
        }
        if let problem = SyncServer.problem(origins: allowOrigin, proxies: trustedProxy) {
            throw ValidationError(problem)
        }
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError(
                "Encryption needs both files: --tls-certificate FILE --tls-key FILE.")
        }
        if let operations, Self.address(operations) == nil {
            throw ValidationError(
                "'\(operations)' is no address for --operations: write 127.0.0.1:9464.")
        }
        guard tokens == nil || jwt.jwtKeys == nil else {
            throw ValidationError(
                "Clients show either tokens or JSON Web Tokens: leave out --tokens or --jwt-keys.")
        }
        let ofNATS = nats.nats != nil ? "--nats" : nats.cluster != nil ? "--cluster" : nil
        if let ofNATS, let other = data.memory ? "--memory" : data.ofFile {
            throw ValidationError("With \(ofNATS) there is no \(other): leave one of them out.")
        }
        guard edge.upstreamCa == nil || edge.upstream != nil || nats.cluster != nil else {
            throw ValidationError(
                "--upstream-ca is about --upstream or --cluster, and neither is there.")
        }
        if nats.cluster != nil {
            guard edge.edgeKey != nil else {
                throw ValidationError(
                    "The servers of a cluster show one another a key: add --edge-key FILE.")
            }
            if nats.clusterAddress == nil, !nats.isOnThisMachine {
                throw ValidationError(
                    "Where do the others reach this server? Add --cluster-address HOST:PORT. It may "
                        + "be left out if all is on this machine: every NATS server, of which there "
                        + "are as many as --nats-replicas says.")
            }
            if nats.isOutOfReach {
                throw ValidationError(
                    "A --cluster-address such as 127.0.0.1 is a loopback address, and NATS "
                        + "isn't on this machine: --cluster-address 10.0.0.11:9091.")
            }
            let address = nats.clusterAddress.flatMap { NodeAddress($0) }
            if address?.isSecure == true, tlsCertificate == nil {
                throw ValidationError(
                    "A wss:// --cluster-address needs a certificate: add --tls-certificate FILE.")
            }
        }
        if edge.upstream != nil {
            let other =
                ofNATS ?? (data.memory ? "--memory" : data.ofFile)
                ?? (json != nil ? "--json" : rules != nil ? "--rules" : nil)
            if let other {
                throw ValidationError(
                    "An edge keeps nothing and has no rules: leave out \(other), or --upstream.")
            }
        }
        if let problem = page.problem { throw ValidationError(problem) }
        do throws(ServerError) { _ = try paths } catch {
            throw ValidationError(error.description)
        }
        if devtools.areOn, let room = rooms.first(where: { $0 == "/devtools" }) {
            throw ValidationError("\(room) is where the devtools are: give the room another path.")
        }
        guard rules == nil || isDocument else {
            throw ValidationError(
                "Rules are about JSON documents: add --json FILE, or --rooms PATTERN.")
        }
        guard isClosed || demo || HostName(address: host).isLocal || printConfiguration else {
            throw ValidationError(
                "Without --tokens or --jwt-keys clients can claim any name, so the server listens "
                    + "on a loopback address only: leave out --host, or add --demo.")
        }
        guard rate >= 0 else { throw ValidationError("A rate is 0 or more; \(rate) isn't.") }
        do throws(LimitError) {
            _ = try limits
        } catch {
            throw ValidationError(error.description)
        }
        let most = JSONRoom.mostBytes
        guard (1...most).contains(documentBytes) else {
            throw ValidationError(
                "A document has 1 to \(most) bytes, which clients take; \(documentBytes) isn't.")
        }
    }

    /// What is wrong with what it would read at the start, each with its subject; it writes
    /// nothing.
    func problems(
        _ environment: [String: String]
    ) async -> [(subject: String, sentence: String)] {
        var problems: [(subject: String, sentence: String)] = []
        func attempt(_ subject: String, _ body: () async throws -> Void) async {
            do { try await body() } catch { problems.append((subject, "\(error)")) }
        }
        await attempt("certificate") { _ = try certificate }
        await attempt("tokens") { _ = try authentication }
        await attempt("JWT keys") { _ = try await jwt.authentication }
        await attempt("rules") { _ = try documentRules }
        await attempt("document") { if let json { _ = try read(json) } }
        await attempt("devtools") { _ = try devtools.access(environment: environment) }
        await attempt("pages") { _ = try page.pages(insteadOf: defaultPage, false) }
        await attempt("journal") { if let file { _ = try ServedRoom.names(in: file) } }
        await attempt("NATS") { _ = try nats.servers }
        await attempt("edge") { _ = (try edge.key, try edge.server) }
        await attempt("audit log") { if let auditLog { try AuditLog.check(file: auditLog) } }
        return problems
    }
}
