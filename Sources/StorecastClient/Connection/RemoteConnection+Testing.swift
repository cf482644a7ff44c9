extension RemoteConnection {
    /// Returns when every store on this connection shows all that has come for it by now.
    package func settleStores() async {
        await deliveries.settle()
    }
}
