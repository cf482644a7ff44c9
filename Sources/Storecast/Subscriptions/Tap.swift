/// A subscription from which an operator of the user's own takes values.
protocol Tap {
    func connect(to connector: any Connector)
}
