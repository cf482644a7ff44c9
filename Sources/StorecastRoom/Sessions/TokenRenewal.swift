/// The tokens of a live connection's `authenticate` frames, checked one at a time.
///
/// A frame without an answer could otherwise start any number of checks, whose results might also
/// come in another order.
struct TokenRenewal {
    private var isChecking = false
    private var next: String?

    /// A token has come: the one to check now, if none is being checked.
    ///
    /// Of several that come meanwhile only the newest is kept.
    mutating func begin(_ token: String) -> String? {
        guard isChecking else {
            isChecking = true
            return token
        }
        next = token
        return nil
    }

    /// A check has ended: the token to check now, or nil.
    mutating func end() -> String? {
        defer { next = nil }
        isChecking = next != nil
        return next
    }
}
