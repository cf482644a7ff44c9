import Logging
import StorecastSync
import StorecastWebSocket
import StorecastWire

extension ServerLoopCore: WebSocketServerDelegate {
    func accept(_ request: UpgradeRequest) -> UpgradeDecision {
        if let refusal = refusal(of: request) {
            return .refuse(status: refusal.status, reason: refusal.sentence)
        }
        guard isFromAllowedPage(request) else {
            return .refuse(status: 403, reason: "Pages of other sites may not connect.")
        }
        if request.subprotocols.isEmpty { return .accept(subprotocol: nil) }
        guard request.subprotocols.contains(ProtocolVersion.subprotocol) else {
            return .refuse(
                status: 400,
                reason: "This server speaks the subprotocol \(ProtocolVersion.subprotocol).")
        }
        return .accept(subprotocol: ProtocolVersion.subprotocol)
    }

    func opened(_ connection: WebSocketConnection, _ request: UpgradeRequest) {
        let credentials = Credentials(
            token: nil, path: request.path, address: request.peerAddress,
            isEncrypted: request.isEncrypted, headers: request.headers)
        let home = homeIndex(of: request.path)
        if home == index {
            let link = LocalLink(connection, credentials, self)
            connection.context = link
            begin(link)
        } else {
            relays[connection.id] = Relay(connection, home: home, configuration.limits)
            post(.opened(connection.id, credentials, origin: index), to: home)
        }
    }

    func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer) {
        turnBegan()
        if let link = connection.context as? LocalLink {
            link.noteReceived(text.count)
            link.session?.receive(text)
        } else if let relay = relays[connection.id] {
            forward(Array(text), of: relay)
        }
    }

    func received(_ connection: WebSocketConnection, oddments: Int) {
        if let link = connection.context as? LocalLink {
            link.session?.receive(oddments: oddments)
        } else if let relay = relays[connection.id] {
            forward(oddments: oddments, of: relay)
        }
    }

    func writable(_ connection: WebSocketConnection) {
        if let link = connection.context as? LocalLink {
            if let session = link.session { rooms.flush(session) }
        } else if let relay = relays[connection.id] {
            advance(relay)
        }
    }

    func closed(_ connection: WebSocketConnection, code: UInt16, reason: String) {
        connection.context = nil
        if let relay = relays.removeValue(forKey: connection.id) {
            post(.toSession(connection.id, .closed(code, reason)), to: relay.home)
        } else {
            end(connection.id, code, reason)
        }
    }

    func reached(_ limit: WebSocketLimit) { traffic.reached[limit.rawValue, default: 0] += 1 }

    func respond(to request: UpgradeRequest) -> HTTPResponse? {
        if let health = configuration.metrics.answer(to: request) { return health }
        if let refusal = refusal(of: request) {
            return HTTPResponse(status: refusal.status, refusal.sentence)
        }
        return configuration.pages.answer(to: request)
    }

    func encryptionFailed(from address: String, _ problem: String) {
        let network = HostName(address: address).network
        configuration.logger.log(
            notices.level(of: "\(network) \(problem)"),
            "a connection could not be encrypted: \(problem)", [.address: address])
    }

    /// Whether it isn't a page that asks, or one of this host, or one that is allowed.
    private func isFromAllowedPage(_ request: UpgradeRequest) -> Bool {
        let credentials = Credentials(token: nil, path: request.path, headers: request.headers)
        guard let origin = request.headers["origin"], credentials.isFromOtherSite,
            !configuration.origins.admits(origin)
        else { return true }
        configuration.logger.log(
            notices.level(of: origin),
            """
            a page of another site was refused; if it is yours, allow it: --allow-origin, \
            SyncServer(allowedOrigins:); if it came through a proxy of yours, have that say which \
            host it was asked for, and trust it: --trusted-proxy, SyncServer(trustedProxies:), \
            Docs/Proxies.md
            """,
            [
                .origin: origin, .host: request.headers["host"] ?? "",
                .address: request.peerAddress,
            ])
        return false
    }

    /// The refusal of a request for a host that the server doesn't serve, or nil.
    private func refusal(of request: UpgradeRequest) -> (status: Int, sentence: String)? {
        let host = request.headers["host"]
        if configuration.hosts.admits(host) { return nil }
        configuration.logger.log(
            notices.level(of: "host \(host ?? "")"),
            """
            a request for another host was refused; if this server is meant, allow it: \
            --allow-host, SyncServer(allowedHosts:)
            """,
            [.host: host ?? "", .address: request.peerAddress])
        return (421, "This server isn't known by that name.")
    }
}
