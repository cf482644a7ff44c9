import Glibc

/// A client's connection and the one to the server that it leads to.
final class ProxyLink {
    let client: Int
    /// After so many bytes, either way, it is cut; nil: never.
    var bytesLeft: Int?
    private(set) var isOver = false
    private var fromClient: Int32
    private var fromServer: Int32 = -1
    private var toServer: [UInt8] = []
    private var toClient: [UInt8] = []

    init(client: Int, _ socket: Int32) {
        self.client = client
        fromClient = socket
    }

    var isConnected: Bool { fromServer >= 0 }

    func connect(to port: UInt16) {
        fromServer = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0
        )
        var address = sockaddr_in(loopbackPort: port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(fromServer, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0, errno != EINPROGRESS { close() }
    }

    /// What to wait for on either side; a side whose bytes the other hasn't taken isn't read.
    var polled: [pollfd] {
        [
            pollfd(fd: fromClient, events: events(in: toServer, out: toClient), revents: 0),
            pollfd(fd: fromServer, events: events(in: toClient, out: toServer), revents: 0),
        ]
    }

    private func events(in input: [UInt8], out output: [UInt8]) -> Int16 {
        Int16((input.isEmpty && isConnected ? POLLIN : 0) | (output.isEmpty ? 0 : POLLOUT))
    }

    /// Moves what has come; true if the connection is to be cut now.
    func forward(_ clientEvents: Int16, _ serverEvents: Int16) -> Bool {
        guard !isOver else { return false }
        if clientEvents != 0 { flush(&toClient, to: fromClient) }
        if serverEvents != 0 { flush(&toServer, to: fromServer) }
        if clientEvents & ~Int16(POLLOUT) != 0 { move(fromClient, &toServer, fromServer) }
        if serverEvents & ~Int16(POLLOUT) != 0 { move(fromServer, &toClient, fromClient) }
        return bytesLeft == 0 && !isOver
    }

    private func move(_ source: Int32, _ buffer: inout [UInt8], _ target: Int32) {
        guard !isOver, source >= 0, buffer.isEmpty, bytesLeft != 0 else { return }
        var chunk = [UInt8](repeating: 0, count: min(16_384, bytesLeft ?? .max))
        let count = recv(source, &chunk, chunk.count, 0)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { close() }
            return
        }
        bytesLeft? -= count
        buffer = Array(chunk[..<count])
        flush(&buffer, to: target)
    }

    private func flush(_ buffer: inout [UInt8], to target: Int32) {
        guard !buffer.isEmpty, target >= 0 else { return }
        let count = send(target, buffer, buffer.count, Int32(MSG_NOSIGNAL))
        if count > 0 {
            buffer.removeFirst(count)
        } else if errno != EAGAIN, errno != ENOTCONN {
            close()
        }
    }

    /// Cuts it: politely, by resets, or so that only the client notices.
    func cut(_ kind: Int) {
        switch kind {
        case 0: close()
        case 1:
            var linger = linger(l_onoff: 1, l_linger: 0)
            let size = socklen_t(MemoryLayout<Glibc.linger>.size)
            for socket in [fromClient, fromServer] {
                setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, size)
            }
            close()
        default:
            Glibc.close(fromClient)
            fromClient = -1
            bytesLeft = nil
        }
    }

    func close() {
        isOver = true
        for socket in [fromClient, fromServer] where socket >= 0 { Glibc.close(socket) }
        fromClient = -1
        fromServer = -1
    }
}
