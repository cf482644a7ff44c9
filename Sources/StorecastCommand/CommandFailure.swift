/// Why a command ends without having done what it was asked: a sentence that says what to do.
struct CommandFailure: Error, CustomStringConvertible {
    /// The exit status.
    enum Status: Int32 {
        /// The server said no.
        case refused = 1
        /// The connection, a file or the input is no good.
        case trouble = 2
    }

    let status: Status
    let description: String

    init(_ status: Status, _ description: String) {
        self.status = status
        self.description = description
    }
}
