import Foundation
import Glibc
import MeasureSupport
import StorecastWire
import TestSupport

/// `storecast serve` with its defaults on a free port, and a journal in a directory of its own.
final class Server {
    let process: ChildProcess
    private let directory: TemporaryDirectory

    var port: Int { process.port }

    /// - Parameter cards: how many cards are on a board from the beginning.
    init(_ room: ServedRoom, cards: Int = 0) throws {
        directory = try TemporaryDirectory()
        var words = ["storecast", "serve", "--port", "0", "--data", directory.file("data.sqlite")]
        switch room {
        case .board: break
        case .inspectedBoard: words.append("--devtools")
        case .document(let text):
            let file = directory.file("document.json")
            try Data(text().utf8).write(to: URL(filePath: file))
            words += ["--json", file]
        }
        if cards > 0 {
            // Quicker than one may who isn't let.
            let first = try Self.run(words + ["--rate", "0"], directory)
            defer { first.end() }
            try Self.add(cards, to: first.port)
        }
        process = try Self.run(words, directory)
    }

    private static func run(
        _ words: [String], _ directory: TemporaryDirectory
    ) throws -> ChildProcess {
        guard access(Attacks.command, X_OK) == 0 else {
            throw Failure(
                """
                There is no \(Attacks.command): build it with swift build -c release --product \
                storecast.
                """)
        }
        return try ChildProcess(
            program: Attacks.command, words, log: directory.file("log")
        ) { line in
            let prefix = "listening on ws://127.0.0.1:"
            return line.hasPrefix(prefix) ? Int(line.dropFirst(prefix.count).dropLast()) : nil
        }
    }

    /// The bytes of the journal's files.
    var journalBytes: Int { directory.bytes(of: "data.sqlite") }

    /// The bytes that it has logged.
    var logBytes: Int {
        var status = stat()
        return stat(directory.file("log"), &status) == 0 ? Int(status.st_size) : 0
    }

    /// The last line that it has logged.
    var lastWords: String {
        File.text(directory.file("log")).split(separator: "\n").last.map(String.init) ?? ""
    }

    /// Whether it lets somebody in who has that much time.
    func answers(within time: Duration) -> Bool {
        let visitor = try? RawConnection(port: port, deadline: .now + time)
        return (try? visitor?.greet(0xFFFF_FFFE)) != nil
    }

    /// Adds cards to a board, as an honest client.
    private static func add(_ cards: Int, to port: Int) throws {
        let client = try RawDispatcher(
            port: port, connections: 1, firstNumber: 1, type: "AddCard",
            payload: Array(#"{"column":"todo","text":"What there is to do"}"#.utf8), inFlight: 1000)
        try client.dispatch(cards)
    }
}
