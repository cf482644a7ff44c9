/// Why a command ends without having done what it was asked: a sentence that says what to do.
package struct CommandFailure: Error, CustomStringConvertible {
    /// The exit status.
    package enum Status: Int32 {
        /// The server said no, or what was checked is wrong.
        case refused = 1
        /// The connection, a file or the input is no good.
        case trouble = 2
    }

    package let status: Status
    package let description: String

    package init(_ status: Status, _ description: String) {
        self.status = status
        self.description = description
    }
}
