extension Subscription: Tap {
    /// Calls the observer with what comes from `connector`.
    func connect(to connector: any Connector) {
        var last: State?
        derivation.connect(to: connector) { reading in
            let new = reading.value
            let old = last
            // Remembered first: the observer may lead to a dispatch and so back to here.
            last = new
            self.observer?(old, new)
        }
    }
}
