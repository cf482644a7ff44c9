import MeasureSupport
import StorecastClient
import StorecastSync
import StorecastTables

/// What one changed row costs a client that mirrors all of a table.
enum MirrorCost: Benchmark {
    static let name = "mirror"
    static let summary = "One changed row of a mirrored table, in the client"

    typealias Chore = RowCost.Chore
    typealias Chores = StorecastTables.Table<Chore>

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        for count in scale.pick([100, 1_000], [100, 10_000, 1_000_000]) {
            let chores = RowCost.Chores(count, owners: 100).all
            try await measure(
                "a table of \(count)", chores, scale, count: scale.pick(10, 1_000), &table
            ) { value, id in value[id: id] }
            let dictionary = Dictionary(
                uniqueKeysWithValues: chores.rows.map { ($0.id, $0) })
            try await measure(
                "the same as a dictionary", dictionary, scale,
                count: max(1, scale.pick(1_000, 100_000) / count), &table
            ) { value, id in value[id] }
        }
    }

    /// The time from the frame of a patch until a subscriber to the whole has been called.
    private static func measure<Value: Codable & Equatable & Sendable>(
        _ what: String, _ value: Value, _ scale: Scale, count: Int, _ table: inout Table,
        row: (Value, String) -> Chore?
    ) async throws {
        let network = StagedNetwork()
        let connection = network.connect()
        let store = RemoteStore(Selection("chores") { (value: Value) in value }, on: connection)
        network.settle()
        let ref = try JSON(parsing: network.sent)["ref"]?.int ?? 1
        network.say(#"{"op":"subscribed","ref":\#(ref),"sub":1,"tag":"t","bytes":9}"#)
        let text = String(decoding: try JSONCoding.encode(value), as: UTF8.self)
        network.say(#"{"op":"snapshot","sub":1,"v":1,"value":\#(text)}"#)
        await connection.settleStores()
        let subscriber = Listener<Value>()
        store.subscribe(subscriber)
        let rows = (value as? Chores)?.count ?? (value as? [String: Chore])?.count ?? 1
        var version = 1
        var last = ""
        func change() async {
            last = "chore-\(version * 7_919 % rows)"
            let path = "/\(last)/title"
            network.say(
                #"{"op":"patch","sub":1,"from":\#(version),"v":\#(version + 1),"ops":[{"op":"#
                    + #""replace","path":"\#(path)","value":"Version \#(version + 1)"}]}"#)
            version += 1
            await connection.settleStores()
        }
        for _ in 0..<max(1, count / 4) { await change() }
        var results: [Double] = []
        for _ in 0..<scale.runs {
            let watch = Stopwatch()
            for _ in 0..<count { await change() }
            results.append(watch.seconds * 1e6 / Double(count))
        }
        precondition(subscriber.count == version, "Not every change was told.")
        precondition(store.state.flatMap { row($0, last) }?.title == "Version \(version)")
        table.add(what, Measurement(results), "µs")
    }

    private final class Listener<Value>: StoreSubscriber {
        private(set) var count = 0
        func newState(state: Value) { count += 1 }
    }
}
