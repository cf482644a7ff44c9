import ArgumentParser
import Foundation
import StorecastNATS
import StorecastTools
import TestSupport
import Testing

@testable import StorecastCommand

/// `storecast cluster status`, `move` and `drain`, with `nats-server` at the other end.
@Suite(
    .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
    .timeLimit(.minutes(30)), .fewAtATime)
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
            (.violation("no"), .trouble), (.noResponders, .trouble), (.missing("no"), .trouble),
            (.forbidden("no"), .trouble),
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

    @Test func `who may not hear servers isn't told that there are none`() async throws {
        let nats = try await NATSProcess(
            """
            authorization { users: [ { user: operator, password: secret, permissions: {
                subscribe: ["_INBOX.*.*"] } } ] }
            """)
        let directory = try TemporaryDirectory()
        let password = directory.file("password")
        try "secret".write(toFile: password, atomically: true, encoding: .utf8)
        for command in Self.commands {
            let failure = await failure(
                of: command + [
                    "--cluster", nats.address, "--nats-replicas", "1", "--nats-user", "operator",
                    "--nats-token", password,
                ])
            #expect(failure?.status == .trouble, "\(command)")
            #expect(
                failure?.description.lowercased()
                    == "nats doesn't permit it: permissions violation for subscription to "
                    + "\"storecast.pulses\".", "\(command)")
        }
    }

    @Test func `where no server was ever started that is said, with what may be wrong`()
        async throws
    {
        for command in Self.commands {
            let failure = await failure(of: command + options + ["--nats-name", "other"])
            #expect(failure?.status == .refused, "\(command)")
            #expect(
                failure?.description
                    == "No server of the cluster 'other' has been started at this NATS yet; is "
                    + "--nats-name right?", "\(command)")
        }
    }

    @Test func `its help is about clusters that are there, not about serving one`() {
        let commands: [any ParsableCommand.Type] = [
            ClusterCommand.Status.self, ClusterCommand.Move.self, ClusterCommand.Drain.self,
            ClusterExportCommand.self,
        ]
        for command in commands {
            let help = ClusterCommand.helpMessage(for: command)
            #expect(!help.contains("--nats <"), "\(command)")
            #expect(!help.contains("--cluster-address"), "\(command)")
            #expect(!help.contains("As --nats"), "\(command)")
        }
    }

    private func status(of arguments: [String]) async -> CommandFailure.Status? {
        await failure(of: arguments)?.status
    }

    /// Nil if it succeeds.
    private func failure(of arguments: [String]) async -> CommandFailure? {
        do {
            var command = try ClusterCommand.parseAsRoot(arguments)
            guard var command = command as? any AsyncParsableCommand else {
                try command.run()
                return nil
            }
            try await command.run()
            return nil
        } catch {
            return error as? CommandFailure
        }
    }
}
