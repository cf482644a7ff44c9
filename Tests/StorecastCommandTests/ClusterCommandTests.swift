import ArgumentParser
import StorecastNATS
import StorecastTools
import TestSupport
import Testing

@testable import StorecastCommand

/// `storecast cluster status`, `move` and `drain`, with `nats-server` at the other end.
@Suite(
    .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
    .timeLimit(.minutes(10)), .fewAtATime)
struct ClusterCommandTests {
    /// NATS as a server of the cluster has left it, and what says where it is.
    private let nats: NATSProcess
    private let options: [String]

    init() async throws {
        nats = try await NATSProcess()
        options = ["--cluster", nats.address, "--nats-replicas", "1"]
        let store = try await JetStreamStore.open(
            NATSConfiguration(nats.address), JetStreamLayout(replicas: 1), own: "a",
            timeout: .seconds(20))
        await store.close()
    }

    private static let commands = [["status"], ["move", "/r"], ["drain", "a"]]

    @Test func `the exit status is 1 if there is nobody, and 2 if that can't be asked`()
        async throws
    {
        for command in Self.commands {
            #expect(await status(of: command + options) == .refused, "\(command)")
        }
        nats.kill()
        for command in Self.commands {
            #expect(await status(of: command + options) == .trouble, "\(command)")
        }
    }

    @Test(
        arguments: [
            (.refused("no"), .refused), (.unavailable("no"), .trouble),
            (.unanswered("no"), .trouble),
            (.violation("no"), .trouble), (.noResponders, .trouble),
        ] as [(NATSError, CommandFailure.Status)])
    func `after it was connected, too, it is 1 only if a server refuses it`(
        error: NATSError, status: CommandFailure.Status
    ) async throws {
        let options = try ClusterCommand.Options.parse(options)
        let failure = await #expect(throws: CommandFailure.self) {
            try await options.use { _ throws(NATSError) in throw error }
        }
        #expect(failure?.status == status)
    }

    /// Nil if it succeeds.
    private func status(of arguments: [String]) async -> CommandFailure.Status? {
        do {
            var command = try ClusterCommand.parseAsRoot(arguments)
            guard var command = command as? any AsyncParsableCommand else {
                try command.run()
                return nil
            }
            try await command.run()
            return nil
        } catch {
            return (error as? CommandFailure)?.status
        }
    }
}
