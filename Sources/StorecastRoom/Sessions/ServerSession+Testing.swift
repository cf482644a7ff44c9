extension ServerSession {
    /// The bytes of answers that wait for the connection.
    package var waitingBytes: Int { replyBytes }

    /// How many frames wait for the token to be checked.
    package var waitingFrames: Int { held.count }
}
