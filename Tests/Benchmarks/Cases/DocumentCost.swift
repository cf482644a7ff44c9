import Glibc
import MeasureSupport
import StorecastServer
import StorecastWire

/// What one edit of a JSON room costs the server, whatever the document's size and however many
/// paths are subscribed to.
enum DocumentCost: Benchmark {
    static let name = "document"
    static let summary = "One edit of a JSON room, the next when it is acked"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        for entries in scale.pick([100, 1_000], [100, 1_000, 10_000, 50_000]) {
            try measure(
                "one of \(entries) entries, mirrored whole", entries: entries, paths: [""], scale,
                &table)
        }
        for count in scale.pick([10, 1_000], [10, 1_000, 10_000, 50_000]) {
            let paths = (0..<count).map { "/map/\($0)" }
            try measure(
                "one of \(count) subscribed paths", entries: count, paths: paths, scale, &table)
        }
        for path in ["", "/map/0"] {
            try measure(
                "64 edits in a message, a mirror of '\(path)'", entries: 1_000, paths: [path],
                edits: 64, scale, &table)
        }
    }

    private static func measure(
        _ what: String, entries: Int, paths: [String], edits: Int = 1, _ scale: Scale,
        _ table: inout Table
    ) throws {
        let server = try ChildProcess(.document)
        let editor = try Editor(port: server.port)
        let members = (0..<entries).map { #""\#($0)":0"# }.joined(separator: ",")
        try editor.set("", to: #"{"map":{\#(members)}}"#)
        // The first path is the one that is touched, and mirrored by who edits.
        try editor.subscribe(paths[0])
        var others: [RawConnection] = []
        for (place, path) in paths.enumerated().dropFirst() {
            if others.isEmpty || place % 250 == 0 {
                let connection = try RawConnection(port: server.port)
                try connection.greet(2 + others.count)
                others.append(connection)
            }
            try others[others.count - 1].subscribe(
                JSONRoom.value.name, ref: UInt64(place + 1), params: Editor.params(path))
        }
        let count = scale.pick(200, 1_000)
        let costs = try Measurement(runs: scale.runs) {
            let before = server.processorTime
            for _ in 0..<count { try editor.increment((0..<edits).map { "/map/\($0)" }) }
            return (server.processorTime - before) * 1e6 / Double(count * edits)
        }
        table.add(what, costs, "CPU µs/action")
    }
}

/// Edits a document, and waits for each ack and for what its own mirror gets.
private final class Editor {
    private let connection: RawConnection
    private var seq: UInt64 = 0

    init(port: Int) throws {
        connection = try RawConnection(port: port)
        try connection.greet(1)
    }

    static func params(_ path: String) -> JSON { ["path": .string(path)] }

    func subscribe(_ path: String) throws {
        try connection.subscribe(JSONRoom.value.name, params: Self.params(path))
    }

    func set(_ path: String, to value: String) throws {
        try dispatch(SetValue.wireName, [#"{"path":"\#(path)","value":\#(value)}"#])
    }

    /// Edits in one message.
    func increment(_ paths: [String]) throws {
        try dispatch(IncrementValue.wireName, paths.map { #"{"path":"\#($0)"}"# })
    }

    private func dispatch(_ type: String, _ payloads: [String]) throws {
        let settled = seq
        try connection.send(
            RawConnection.frame { writer in
                writer.beginArray()
                for payload in payloads {
                    seq += 1
                    writer.writeDispatch(
                        seq: seq, base: 0, settled: settled, type: type,
                        payload: Array(payload.utf8))
                }
                writer.endArray()
            })
        while true {
            switch try connection.nextFrame() {
            case .transaction(_, let count, seq):
                for _ in 0..<count { _ = try connection.nextFrame() }
                return
            case .reject(let reject): throw Failure("Rejected: \(reject.title)")
            default: break
            }
        }
    }
}
