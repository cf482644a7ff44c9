import Observation
import StorecastClient
import TestSupport
import Testing

/// A client learns from the server who it is, so that it needn't say it a second time.
@MainActor @Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct ConnectionIdentityTests {
    private static let ada = #"{"id":"ada","roles":["editor"]}"#
    private let network = ManualNetwork()

    /// What is signed, by whom.
    private func signatures(on connection: RemoteConnection) -> RemoteStore<[String]> {
        RemoteStore(Sheet.names, on: connection) { names, action in
            if let sign = action as? Sign { names.append("\(sign.stamp.sender.id)!") }
        }
    }

    /// The server has nothing signed.
    private func answer() {
        let ref = network.connection.refs[0]
        network.say(#"{"op":"subscribed","ref":\#(ref),"sub":1,"tag":"t","bytes":2}"#)
        network.say(#"{"op":"snapshot","sub":1,"v":1,"value":[]}"#)
    }

    @Test func `nobody knows it before the first welcome, unless the app does`() {
        #expect(network.connect().identity == nil)
        #expect(network.connect(identity: Identity("bob")).identity == Identity("bob"))
    }

    @Test func `the server's word counts, also while there is no connection`() {
        let connection = network.connect(identity: Identity("bob"))
        network.welcome(identity: Self.ada)
        #expect(connection.identity == Identity("ada", roles: ["editor"]))
        network.lose()
        #expect(connection.identity == Identity("ada", roles: ["editor"]))
    }

    @Test func `with a server that doesn't say it, what the app says stays`() {
        let connection = network.connect(identity: Identity("bob"))
        network.welcome()
        #expect(connection.identity == Identity("bob"))
    }

    @Test func `it is observed`() {
        let (connection, changes) = (network.connect(), Tally())
        withObservationTracking {
            _ = connection.identity
        } onChange: {
            changes.increase()
        }
        network.welcome(identity: Self.ada)
        #expect(changes.count == 1)
    }

    @Test func `optimistic stores show the client as whom the server takes it for`() async {
        let connection = network.connect()
        let names = signatures(on: connection)
        network.welcome(identity: Self.ada)
        answer()
        await connection.settleStores()
        names.dispatch(Sign())
        #expect(names.state == ["ada!"])
    }

    @Test func `what was signed before that is shown anew`() async {
        let connection = network.connect()
        let names = signatures(on: connection)
        network.welcome()
        answer()
        await connection.settleStores()
        names.dispatch(Sign())
        #expect(names.state == ["!"])
        network.lose()
        connection.reconnect()
        network.settle()
        network.welcome(identity: Self.ada)
        await connection.settleStores()
        #expect(names.state == ["ada!"])
    }
}

private struct Sign: Stamped { var stamp = Stamp() }

private struct Sheet: Codable, Sendable {
    var names: [String] = []

    static let names = Selection("names", part: \Sheet.names)
}
