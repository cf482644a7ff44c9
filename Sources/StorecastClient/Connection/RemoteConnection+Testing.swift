extension RemoteConnection {
    /// Returns when every store on this connection shows all that has come for it by now.
    package func settleStores() async {
        await deliveries.settle()
    }

    /// The status behind all that the connection has begun to do: it says so when what a dispatch
    /// or a store was just told is that the connection ended.
    package var settledStatus: Status {
        get async {
            await withCheckedContinuation { continuation in
                perform { core in continuation.resume(returning: core.monitor.status) }
            }
        }
    }
}
