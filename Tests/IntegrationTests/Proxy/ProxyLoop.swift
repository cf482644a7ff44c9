import Glibc
import StorecastClient

/// The connections of a ``CuttingProxy``; belongs to its thread.
final class ProxyLoop {
    private let plan: CuttingProxy.Plan
    private let listeners: [Int32]
    private let wakeUp: Int32
    private var random: SeededGenerator
    private var links: [ProxyLink] = []
    private var serverPort: UInt16 = 0
    private var cuts: [Int]

    init(_ plan: CuttingProxy.Plan, listeners: [Int32], wakeUp: Int32) {
        self.plan = plan
        self.listeners = listeners
        self.wakeUp = wakeUp
        random = SeededGenerator(seed: plan.seed)
        cuts = Array(repeating: 0, count: plan.clients)
    }

    /// Takes what was asked for and tells how it is going; false when it is over.
    func exchange(_ shared: inout CuttingProxy.Shared) -> Bool {
        if shared.serverPort != serverPort {
            serverPort = shared.serverPort
            for link in links where link.isConnected { link.close() }
        }
        shared.cuts = cuts
        return !shared.isOver
    }

    /// Waits until something happens, and handles it.
    func turn() {
        for link in links where !link.isOver && !link.isConnected && serverPort != 0 {
            link.connect(to: serverPort)
        }
        links.removeAll(where: \.isOver)
        var polled = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)]
        polled += listeners.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        for link in links { polled += link.polled }
        poll(&polled, nfds_t(polled.count), -1)
        if polled[0].revents != 0 {
            var byte: UInt8 = 0
            read(wakeUp, &byte, 1)
        }
        let current = links
        for (client, poll) in polled[1...listeners.count].enumerated() where poll.revents != 0 {
            accept(client, poll.fd)
        }
        for (link, place) in zip(current, stride(from: 1 + listeners.count, to: .max, by: 2)) {
            guard link.forward(polled[place].revents, polled[place + 1].revents) else { continue }
            cuts[link.client] += 1
            link.cut(random.below(3))
        }
    }

    private func accept(_ client: Int, _ listener: Int32) {
        let socket = Glibc.accept(listener, nil, nil)
        guard socket >= 0 else { return }
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        // Else a server that is started would keep the client's connection open.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        // A server that hasn't noticed the cut is told only now that its client is gone.
        for link in links where link.client == client { link.close() }
        let link = ProxyLink(client: client, socket)
        if cuts[client] < plan.cuts {
            // In the handshake, or somewhere in what follows.
            link.bytesLeft =
                random.below(4) == 0 ? 1 + random.below(1000) : 1000 + random.below(2500)
        }
        links.append(link)
    }

    func closeAll() {
        for link in links { link.close() }
        for listener in listeners { Glibc.close(listener) }
        Glibc.close(wakeUp)
    }
}
