/// What becomes of a room when the process ends again and again while it reduces the same action.
public struct CrashPolicy: Sendable {
    let skips: Bool
    let crashes: Int

    /// After so many crashes in a row the room goes on without the action, which then counts as
    /// rejected (`internal`), for good. Only if nobody was told that it had been reduced: one that
    /// an earlier version of the code reduced is as with ``stop(after:)``.
    ///
    /// - Parameter crashes: 1 or more.
    public static func skip(after crashes: Int = 3) -> CrashPolicy {
        CrashPolicy(skips: true, crashes)
    }

    /// After so many crashes in a row the room isn't opened; other rooms are. It is tried again
    /// when the server was ended in order and is started again.
    ///
    /// - Parameter crashes: 1 or more.
    public static func stop(after crashes: Int = 3) -> CrashPolicy {
        CrashPolicy(skips: false, crashes)
    }

    private init(skips: Bool, _ crashes: Int) {
        precondition(crashes >= 1, "A room isn't given up before it has crashed.")
        self.skips = skips
        self.crashes = crashes
    }
}
