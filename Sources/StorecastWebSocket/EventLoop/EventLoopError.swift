import CLibWebSockets
import Glibc

/// Why an event loop could not start.
public struct EventLoopError: Error, Sendable, CustomStringConvertible {
    /// One sentence with the system's reason.
    public let description: String

    init(what: String, code: Int32) {
        description = "Could not \(what): \(EventLoopError.text(of: code))."
    }

    /// The system's words for an error number; libuv's are the negative of the system's.
    static func text(of code: Int32) -> String {
        guard let text = strerror(abs(code)) else { return "error \(code)" }
        return String(cString: text)
    }
}
