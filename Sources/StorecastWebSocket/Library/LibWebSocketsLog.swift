import CLibWebSockets
import Synchronization

/// What libwebsockets says, which is silent until somebody listens. For the whole process.
package enum LibWebSocketsLog {
    private static let handler = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Gives the library's errors and warnings to `listener`, on whatever thread they happen; nil
    /// for silence.
    package static func listen(_ listener: (@Sendable (String) -> Void)?) {
        handler.withLock { $0 = listener }
        install()
    }

    /// Takes the log away from standard error, where the library writes by itself.
    static func install() {
        let isHeard = handler.withLock { $0 != nil }
        lws_set_log_level(isHeard ? LLL_ERR | LLL_WARN : 0) { _, line in
            guard let line, let handler = LibWebSocketsLog.handler.withLock({ $0 }) else { return }
            var text = String(cString: line)
            // Said as an error of every connection that comes with its request.
            if text.contains("adopt_socket_readbuf: calling service") { return }
            while text.last?.isNewline == true { text.removeLast() }
            handler(text)
        }
    }
}
