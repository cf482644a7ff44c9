package import StorecastWebSocket
package import StorecastWire

/// What a load is made of, but for its rate.
package struct LoadPlan: Sendable {
    /// Where every connection goes.
    package var server: WebSocketClientConfiguration
    /// How many connections dispatch.
    package var connections = 10
    /// How many connections only follow.
    package var mirrors = 0
    package var threads = 1
    /// What each connection and mirror subscribes to.
    package var subscriptions: [Selected] = []
    /// The wire name of the action that is dispatched.
    package var action: String
    /// Its payload; nil for none.
    package var payload: NumberedText?
    /// What proves the connections' identities; nil for none.
    package var token: NumberedText?
    /// How long connecting may take without one more connection being ready.
    package var patience: Duration = .seconds(10)

    /// A selection with its parameters.
    package struct Selected: Sendable {
        package var name: String
        package var parameters: JSON?

        package init(name: String, parameters: JSON? = nil) {
            self.name = name
            self.parameters = parameters
        }
    }

    package init(server: WebSocketClientConfiguration, action: String) {
        self.server = server
        self.action = action
    }
}

/// A text with places for numbers: `{n}` for that of the action, `{c}` for that of the connection.
package struct NumberedText: Sendable {
    private enum Piece {
        case text([UInt8])
        case action, connection
    }

    private var pieces: [Piece] = []

    package init(_ text: String) {
        var rest = Substring(text)
        while !rest.isEmpty {
            if rest.hasPrefix("{n}") {
                pieces.append(.action)
                rest = rest.dropFirst(3)
            } else if rest.hasPrefix("{c}") {
                pieces.append(.connection)
                rest = rest.dropFirst(3)
            } else {
                let end = rest.dropFirst().firstIndex(of: "{") ?? rest.endIndex
                pieces.append(.text(Array(rest[..<end].utf8)))
                rest = rest[end...]
            }
        }
    }

    /// The text with the numbers in their places, in UTF-8.
    package func bytes(action: Int, connection: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .text(let text): bytes.append(contentsOf: text)
            case .action: bytes.append(contentsOf: String(action).utf8)
            case .connection: bytes.append(contentsOf: String(connection).utf8)
            }
        }
        return bytes
    }
}

/// When each action of a step is due: evenly, and whatever became of those before it.
///
/// Latencies count from these moments. If they counted from when an action was really sent, a
/// server that stalls would be measured less often just then (coordinated omission).
package struct Pace: Sendable {
    /// Actions per second, of all connections together.
    package var rate: Double
    /// How many connections there are.
    package var connections: Int
    /// The number of the first action.
    package var firstNumber: Int
    /// The moments at which actions, and those that are measured, begin, and at which both end.
    package var start: Int64
    package var measuredFrom: Int64
    package var end: Int64

    /// The number of a connection's action, among those of all connections.
    func number(of index: Int, on connection: Int) -> Int {
        firstNumber + index * connections + connection
    }

    /// When a connection's action is due, counted from 0.
    func moment(of index: Int, on connection: Int) -> Int64 {
        start + Int64(Double(index * connections + connection) * 1e9 / rate)
    }

    func isMeasured(_ moment: Int64) -> Bool { moment >= measuredFrom && moment < end }
}

/// Why a load can't be put on a server: a sentence that says what to do.
package struct LoadError: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
