import MeasureSupport
import StorecastServer

/// What a connection costs the server's memory while nothing happens.
enum IdleMemory: Benchmark {
    static let name = "memory"
    static let summary = "Resident memory of the server for each idle connection"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let connections = min(scale.pick(500, 5_000), DescriptorLimit.connections)
        table.add("connections", Double(connections), "")
        let runs = scale.pick(1, 3)
        table.add(
            "bare (WebSocket only)",
            try Measurement(runs: runs) { try grow(connections) { _, _ in } }, "bytes/connection")
        if Peer.path != nil {
            table.add(
                Peer.label,
                try Measurement(runs: runs) {
                    try grow(connections, try Peer.echo.start()) { _, _ in }
                }, "bytes/connection")
        }
        table.add(
            "welcomed",
            try Measurement(runs: runs) {
                try grow(connections) { connection, number in try connection.greet(number) }
            }, "bytes/connection")
        table.add(
            "welcomed, one subscription",
            try Measurement(runs: runs) {
                try grow(connections) { connection, number in
                    try connection.greet(number)
                    try connection.subscribe(Desk.panel.name)
                }
            }, "bytes/connection")
        table.add(
            "a page of 50 of 1,000,000 rows in use",
            try Measurement(runs: runs) { try pages(scale.pick(500, 10_000)) }, "bytes/page")
    }

    /// A server's growth for each of the second half of so many pages, of which each connection
    /// looks at 250: the first have the index made, and use the memory that making the rows left.
    private static func pages(_ count: Int) throws -> Double {
        let server = try ChildProcess(.chores)
        let each = 250
        var connections: [RawConnection] = []
        var before = 0
        for number in 0..<count {
            if number == count / 2 { before = server.residentBytes }
            if number.isMultiple(of: each) {
                connections.append(try RawConnection(port: server.port))
                try connections[number / each].greet(number / each + 1)
            }
            _ = try connections[number / each].subscribe(
                RowCost.page.name, ref: UInt64(number % each) + 1,
                params: .string("\(number)"))
        }
        return Double(server.residentBytes - before) / Double(count / 2)
    }

    /// A fresh server's growth for each connection, without the first hundred.
    private static func grow(
        _ count: Int, _ peer: ChildProcess? = nil,
        _ prepare: (RawConnection, Int) throws -> Void
    ) throws -> Double {
        let server = try peer ?? ChildProcess(.server)
        var connections: [RawConnection] = []
        connections.reserveCapacity(count + 100)
        var before = 0
        for number in 1...(count + 100) {
            if number == 101 { before = server.residentBytes }
            let connection = try RawConnection(port: server.port)
            try prepare(connection, number)
            connections.append(connection)
        }
        return Double(server.residentBytes - before) / Double(count)
    }
}
