import StorecastSync
import TestSupport
import Testing

@testable import StorecastMirror

/// One device: programs that end and begin again on it, with the server in the hands of the test.
final class CacheBench {
    let storage = MemoryMirrorStorage()
    var limits = CacheLimits()
    var sealing = MirrorSealing()

    /// A program that begins.
    func start(
        viewer: String = "ada", client: String = .ada, room: String = "/"
    ) -> Program {
        let cache = MirrorCache(
            MirrorCache.Home(room: room, viewer: viewer, client: client), limits: limits,
            in: storage, sealing: sealing)
        return Program(
            ConnectorBench(ClientSession(outbox: SharedOutbox(client: client), cache: cache)))
    }

    /// A program that mirrors `tea`, gets a value, and ends.
    func runOnce(value: String = "1", version: Int = 3, epoch: String = "e") {
        let program = start()
        let tea = program.mirror("tea")
        program.live(epoch: epoch, version: version)
        program.say(snapshot: value, version: version, to: tea)
        program.end()
    }

    /// Begins a program that mirrors `tea` and has no connection; what it shows.
    func shown(viewer: String = "ada", client: String = .ada, room: String = "/") -> JSON? {
        start(viewer: viewer, client: client, room: room).mirror("tea").value
    }

    /// What is kept, as far as it is text.
    var kept: String { String(decoding: storage.text ?? [], as: UTF8.self) }
}

/// A program with a connection.
struct Program {
    let bench: ConnectorBench

    init(_ bench: ConnectorBench) {
        self.bench = bench
        bench.connector.start()
    }

    var session: ClientSession { bench.session }
    var hello: JSON? { bench.connection.sent.first("hello") }
    /// What was said of where the mirrors are, oldest first.
    var resumptions: [JSON?] {
        bench.connection.sent.filter { $0.op == "subscribe" }.map { $0["at"] }
    }

    /// A mirror that somebody looks at.
    func mirror(_ selection: String, _ parameters: JSON? = nil) -> Mirror {
        let mirror = session.mirror(selection, parameters)
        mirror.observers[0] = { _ in }
        bench.connector.scheduleFlush()
        bench.settle()
        return mirror
    }

    func release(_ mirror: Mirror) {
        mirror.observers = [:]
        session.release(mirror)
    }

    /// The connection opens, and the server welcomes the client.
    func live(epoch: String = "e", version: Int = 3, term: String? = nil, lastSeq: Int = 0) {
        bench.open()
        bench.say(
            welcome(
                epoch: epoch, version: version, lastSeq: lastSeq, heartbeat: 3600, term: term))
    }

    /// The server takes a subscription.
    func subscribed(_ mirror: Mirror, tag: String = "t") {
        bench.say(#"{"op":"subscribed","ref":\#(mirror.ref),"sub":\#(mirror.ref),"tag":"\#(tag)"}"#)
    }

    /// The server sends a value.
    func say(snapshot value: String, version: Int, to mirror: Mirror, tag: String = "t") {
        if mirror.sub == nil { subscribed(mirror, tag: tag) }
        bench.say(
            #"{"op":"snapshot","sub":\#(mirror.ref),"v":\#(version),"value":\#(value)}"#)
    }

    /// The server says that what the client has is right.
    func say(currentAt version: Int, to mirror: Mirror) {
        subscribed(mirror)
        bench.say(#"{"op":"current","sub":\#(mirror.ref),"v":\#(version)}"#)
    }

    func end() { bench.connector.close(nil) }
}
