package import StorecastSync

/// What a client puts in the place of the server's stamps until it has those.
package struct ProvisionalStamps: Sendable {
    private let client: String
    private let sender: Identity
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - client: the client's id.
    ///   - sender: who the server will take the client for, as far as that is known.
    ///   - now: the client's clock.
    package init(client: String, sender: Identity, now: @escaping @Sendable () -> Timestamp) {
        self.client = client
        self.sender = sender
        self.now = now
    }

    /// The action as the client's `seq`th dispatch: its stamp's id is the final one, everything
    /// else a guess. Nil if it isn't ``Stamped``.
    func stamp(_ action: any SyncAction, seq: UInt64) -> (any SyncAction)? {
        guard var action = action as? any Stamped else { return nil }
        let id = stampID(client: client, seq: seq)
        var seed = MixingHash(seed: seq)
        for byte in id.utf8 { seed.mix(UInt64(byte)) }
        action.stamp = Stamp(id: id, sender: sender, time: now(), seed: seed.finish())
        return action
    }
}
