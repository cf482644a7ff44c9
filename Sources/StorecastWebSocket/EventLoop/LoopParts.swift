import CLibWebSockets
import Synchronization

/// A libuv loop, and the libwebsockets context on it if one was ever needed.
///
/// They are used again by later event loops, since a context can't be destroyed safely (see
/// `LibWebSockets`): a process has as many as it ever had loops at the same time.
///
/// Unchecked `Sendable`: between `park` and `take` nobody else has the parts, and the mutex orders
/// what the last loop did with them before what the next one does.
struct LoopParts: @unchecked Sendable {
    let uv: UnsafeMutablePointer<uv_loop_t>
    /// For what is read from sockets, one at a time.
    let receiveBuffer: UnsafeMutableRawBufferPointer
    var library: LibWebSockets?

    private static let parked = Mutex<[LoopParts]>([])

    /// Parts that no loop uses, or new ones.
    static func take() throws(EventLoopError) -> LoopParts {
        if let parts = parked.withLock({ $0.popLast() }) { return parts }
        let uv = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        let code = uv_loop_init(uv)
        guard code == 0 else {
            uv.deallocate()
            throw EventLoopError(what: "make an event loop", code: code)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: SocketReader.bufferSize, alignment: 16)
        return LoopParts(uv: uv, receiveBuffer: buffer)
    }

    /// Keeps the parts for another loop. No handle but the library's own may be left on them.
    func park() { Self.parked.withLock { $0.append(self) } }
}
