import StorecastMirror
import StorecastSync

/// Connects a client to the server of a ``TestRoom``.
struct TestTransport: Transport {
    let loop: TestLoop
    let line: TestLine

    var executor: any TransportExecutor { loop }

    func connect(
        to url: String, subprotocol: String, handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
        let link = TestLink(on: loop, line, handler: handler)
        loop.post { line.open(link) }
        return link
    }
}
