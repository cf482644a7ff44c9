import GRDB
import MeasureSupport
import StorecastServer
import TestSupport

/// How long a server needs for what a room has been through, and what that takes on the disk.
enum Recovery: Benchmark {
    static let name = "recovery"
    static let summary = "From opening a journal's file to its room being live"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let directory = try TemporaryDirectory()
        try measure("a new file", ServedJournal(file: directory.file("new")), 0, scale, &table)
        for count in scale.pick([10_000], [10_000, 100_000, 1_000_000]) {
            for takesSnapshots in [false, true] {
                try measure(count, Vote(), takesSnapshots, scale, &table)
            }
        }
        let note = WriteNote(text: String(repeating: "note ", count: 22))
        try measure(scale.pick(10_000, 100_000), note, false, scale, &table)
        table.note("`memory` is the most that the process has had resident.")
    }

    /// Has a server take `count` actions and crash, and others open what it left.
    private static func measure(
        _ count: Int, _ action: some SyncAction, _ takesSnapshots: Bool, _ scale: Scale,
        _ table: inout Table
    ) throws {
        let payload = try JSONCoding.encode(action)
        let directory = try TemporaryDirectory()
        let (name, how) =
            takesSnapshots ? ("with", "a snapshot every 10,000") : ("without", "no snapshots")
        let journal = ServedJournal(file: directory.file(name), takesSnapshots: takesSnapshots)
        try fill(journal, count, type(of: action).wireName, payload)
        // So that the write-ahead log isn't counted, which is as large for any number of actions.
        let file = try DatabaseQueue(path: directory.file(name))
        try file.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try file.close()
        let size = Double(directory.bytes(of: name))
        let what = "\(Figure.text(Double(count))) actions of \(payload.count) bytes, \(how)"
        let time = try measure(what, journal, count, scale, &table)
        table.add("… each", time.scaled(by: 1e3 / Double(count)), "µs/action")
        table.add("… file", size / Double(1 << 20), "MiB")
        table.add("… file", size / Double(count), "bytes/action")
    }

    /// Opens a journal with `count` actions; the milliseconds that it takes.
    @discardableResult
    private static func measure(
        _ what: String, _ journal: ServedJournal, _ count: Int, _ scale: Scale,
        _ table: inout Table
    ) throws -> Measurement {
        var times: [Double] = []
        var memory: [Double] = []
        for _ in 0..<(count > 100_000 ? 3 : scale.runs) {
            let server = try ChildProcess(.recovery, journal)
            guard server.figures.count == 2, server.figures[1] == count else {
                throw Failure("The room isn't as \(count) actions left it: \(server.figures).")
            }
            times.append(Double(server.figures[0]) / 1e6)
            memory.append(Double(server.peakResidentBytes) / Double(1 << 20))
        }
        table.add(what, Measurement(times), "ms")
        table.add("… memory", Measurement(memory), "MiB")
        return Measurement(times)
    }

    /// Ten clients dispatch `count` actions to a room that is new.
    private static func fill(
        _ journal: ServedJournal, _ count: Int, _ type: String, _ payload: [UInt8]
    ) throws {
        let server = try ChildProcess(.server, journal)
        let clients = 10
        do {
            let dispatcher = try RawDispatcher(
                port: server.port, connections: clients, firstNumber: 1, type: type,
                payload: payload, inFlight: 256)
            try dispatcher.dispatch(count / clients)
        }
        // Stopped, it would leave a snapshot.
        server.end()
    }
}
