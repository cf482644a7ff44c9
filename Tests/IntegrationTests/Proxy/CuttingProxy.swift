import Glibc
import Synchronization
import Testing

/// A proxy of plain TCP between clients and a server, which cuts connections.
///
/// Every client has a port of its own, so that each is cut as often as every other: in the
/// handshake, within frames, between them, after so many bytes as a seeded generator says. When a
/// client was cut its number of times, its connections are left alone. While there is no server,
/// connections wait.
final class CuttingProxy: Sendable {
    struct Plan: Sendable {
        var clients: Int
        /// How often each client is cut.
        var cuts: Int
        var seed: UInt64
    }

    struct Shared {
        /// 0 while there is no server.
        var serverPort: UInt16 = 0
        var cuts: [Int]
        var isOver = false
    }

    /// The port of each client.
    let ports: [UInt16]
    private let shared: Mutex<Shared>
    /// A pipe that ends the loop's wait.
    private let wakeUp: (read: Int32, write: Int32)

    init(_ plan: Plan) throws {
        let listeners = try (0..<plan.clients).map { _ in try Listener() }
        ports = listeners.map(\.port)
        shared = Mutex(Shared(cuts: Array(repeating: 0, count: plan.clients)))
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        wakeUp = (ends[0], ends[1])
        let descriptors = listeners.map(\.descriptor)
        startThread { [self] in
            let loop = ProxyLoop(plan, listeners: descriptors, wakeUp: wakeUp.read)
            while shared.withLock({ loop.exchange(&$0) }) { loop.turn() }
            loop.closeAll()
            close(wakeUp.write)
        }
    }

    /// Where connections lead from now on; nil holds them until there is a server again. Those to
    /// the server before end.
    func lead(to port: UInt16?) {
        shared.withLock { $0.serverPort = port ?? 0 }
        wake()
    }

    private func wake() {
        var byte: UInt8 = 0
        write(wakeUp.write, &byte, 1)
    }

    /// How often each client was cut.
    var cuts: [Int] { shared.withLock(\.cuts) }

    /// Ends its thread and closes everything.
    func stop() {
        shared.withLock { $0.isOver = true }
        wake()
    }
}

/// A listening socket on a free port of 127.0.0.1.
private struct Listener {
    let descriptor: Int32
    let port: UInt16

    init() throws {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0
        )
        var address = sockaddr_in(loopbackPort: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) | listen(descriptor, 16)
                    | getsockname(descriptor, address, &length)
            }
        }
        try #require(result == 0, "There is no port to listen on (errno \(errno)).")
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }
}

extension sockaddr_in {
    /// A port of 127.0.0.1.
    init(loopbackPort port: UInt16) {
        self.init()
        sin_family = sa_family_t(AF_INET)
        sin_port = port.bigEndian
        sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    }
}

/// Runs `body` on a thread of its own.
private func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
            return nil
        }, Unmanaged.passRetained(Box(body)).toOpaque())
    pthread_detach(thread)
}
