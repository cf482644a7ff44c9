import Foundation
import Testing
import TestSupport

/// How `storecast serve` fails, and what it leaves.
@Suite(.timeLimit(.minutes(10)))
struct ServeCommandTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `a port in use is said once, and no file is left`() async throws {
        let server = try await ServeProcess()
        let second = try ChildProcess(
            "storecast",
            ["serve", "--port", "\(server.port)", "--data", directory.file("new.sqlite")]
                + ["--log-level", "error"], takesErrors: true)
        #expect(await second.exitStatus() == 2)
        #expect(
            await second.allLines() == [
                "Error: Can't listen on 127.0.0.1:\(server.port): Address already in use. "
                    + "Choose another port (0 for any free one) or stop what uses it."
            ])
        #expect(directory.names.isEmpty)
        #expect(await server.stop() == 0)
    }
}
