import Dispatch
import Glibc
import Logging
import MeasureSupport
import StorecastServer
import Synchronization

/// How many connections there were; libFuzzer has one thread.
nonisolated(unsafe) private var visits = 0

/// Whatever comes to a server's port: it goes on, and answers the next one.
func fuzzRequest(_ input: UnsafeRawBufferPointer) {
    let connection = RawConnection(plain: connect())
    // It may have heard enough before all is sent.
    try? connection.send(Array(input))
    shutdown(connection.descriptor, Int32(SHUT_WR))
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = recv(connection.descriptor, &piece, piece.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        answer += piece[..<count]
    }
    if !answer.isEmpty, !answer.starts(with: "HTTP/1.".utf8) {
        fail("The answer isn't HTTP: \(String(decoding: answer, as: UTF8.self).debugDescription)")
    }
}

private func connect() -> Int32 {
    // libFuzzer's alarm may interrupt it.
    for _ in 0..<3 {
        // Ports rest for a minute after a connection: from one address there aren't enough.
        visits &+= 1
        let source = UInt16(truncatingIfNeeded: visits % 50_000 + 1)
        if let descriptor = try? PlainSocket.connect(to: port, from: source) { return descriptor }
    }
    fail("The server takes no connections.")
}

/// Ends the run with a sentence, which a trap in a release build doesn't have.
private func fail(_ sentence: String) -> Never {
    print(sentence)
    fflush(nil)
    abort()
}

/// A server in this process, so that its crash is a finding, and its code is seen.
private let port: Int = {
    let found = Found()
    let isThere = DispatchSemaphore(value: 0)
    Task.detached {
        var logger = Logger(label: "fuzz")
        logger.logLevel = .critical
        let room = JSONRoom.definition(initial: [:])
        // A page's connection stays open for the next request.
        let pages = WebPages(["/index.html": Array("<!doctype html>".utf8)])
        let server = SyncServer(port: 0, logger: logger, pages: pages, rooms: { _ in room })
        let url = try await server.start()
        found.port.store(
            Int(url.split(separator: ":").last?.dropLast() ?? "") ?? 0, ordering: .releasing)
        isThere.signal()
    }
    isThere.wait()
    return found.port.load(ordering: .acquiring)
}()

private final class Found: Sendable {
    let port = Atomic(0)
}
