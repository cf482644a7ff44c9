import Glibc
import MeasureSupport
import StorecastBench
import StorecastServer
import StorecastWebSocket
import StorecastWire

/// Clients of one server that follow its panel, in a process of their own.
final class Crowd {
    let count: Int
    private let process: ChildProcess
    /// What came since ``forget()``.
    private(set) var frames = 0
    private(set) var bytes = 0
    /// How many connections have ended.
    private(set) var lost = 0
    /// When the last of them had each version.
    private var floors: [(version: Int, at: Int)] = []

    /// Connects all of them; returns when each has the panel.
    ///
    /// - Parameter named: whether each says a name of its own, or all are anonymous.
    init(_ count: Int, of server: ChildProcess, named: Bool = false) throws {
        self.count = count
        let words = ["\(server.port)", "\(count)", named ? "named" : ""]
        process = try ChildProcess(.crowd, ServedJournal(), words)
    }

    /// The version that all of them have, as of ``look()``.
    var version: Int { floors.last?.version ?? 0 }

    /// When the last of them had this version or a later one, in nanoseconds of ``Moment``.
    func time(of version: Int) -> Int? { floors.first { $0.version >= version }?.at }

    /// Asks what has come.
    func look() throws {
        let figures = try process.ask()
        guard figures.count >= 3 else { throw Failure("A crowd's answer makes no sense.") }
        frames += figures[0]
        bytes += figures[1]
        lost += figures[2]
        for place in stride(from: 3, to: figures.count - 1, by: 2) {
            floors.append((figures[place], figures[place + 1]))
        }
    }

    func forget() throws {
        try look()
        (frames, bytes) = (0, 0)
    }

    /// What the child does. It says the port when all are connected, and then answers each line.
    static func follow(_ words: ArraySlice<String>) async throws {
        let words = Array(words)
        guard words.count == 3, let port = Int(words[0]), let count = Int(words[1]) else {
            throw Failure("A crowd is told the port, how many it is, and whether it has names.")
        }
        var server = WebSocketClientConfiguration(
            host: "127.0.0.1", port: port, path: "/",
            subprotocols: [ProtocolVersion.subprotocol])
        // All of them share this machine with the servers.
        server.connectTimeout = .seconds(120)
        // Browsers answer pings, and send none.
        server.pingInterval = .seconds(3600)
        var plan = LoadPlan(server: server, action: "")
        plan.mirrors = count
        plan.subscriptions = [LoadPlan.Selected(name: Desk.panel.name)]
        plan.patience = .seconds(150)
        if words[2] == "named" { plan.token = NumberedText("client-{c}") }
        let followers = try await Followers(plan)
        print(port)
        fflush(nil)
        while readLine() != nil {
            let news = await followers.take()
            if let loss = news.loss { note("\(news.lost) connections are lost: \(loss)\n") }
            let floors = news.floors.flatMap { [Int($0.version), Int($0.at)] }
            let figures = [news.messages, news.bytes, news.lost] + floors
            print(figures.map(String.init).joined(separator: " "))
            fflush(nil)
        }
        exit(0)
    }

    private static func note(_ line: String) { _ = line.withCString { write(2, $0, strlen($0)) } }
}
