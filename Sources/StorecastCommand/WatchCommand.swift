import ArgumentParser
import Observation
import StorecastClient
import StorecastTools

/// `storecast watch`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print a selection whenever it changes.",
        discussion: """
            Prints the selection's value as it is now, and every new one, until it is stopped. \
            Changes that come faster than they can be printed are printed as one.

              storecast watch localhost:9090 summary
              storecast watch localhost:9090 column todo
              storecast watch localhost:9090 myCards --as ada
              storecast watch localhost:9090 value '{"path":"/votes"}' --json

            With --json every line is {"v":VERSION,"value":VALUE}.

            Exit status: 1 if the server refuses the selection, 2 if it can't be reached or ends \
            the connection, 64 if the command makes no sense.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: "The selection's name.")
    var selection: String

    @Argument(help: "The selection's parameters: JSON, or a word, which is taken for a string.")
    var parameters: String?

    @Flag(help: "Print one line of JSON for every value.")
    var json = false

    @MainActor
    func run() async throws {
        let parameters = try parameters.map { try JSONText.parameter($0) }
        let connection = try await server.connect()
        let store = RemoteStore<JSON>(
            selection: selection, parameters: parameters, on: connection)
        let printer = StatePrinter(of: store, asLines: json)
        store.subscribe(printer)
        let (failures, failed) = AsyncStream<CommandFailure?>.makeStream()
        let following = Task { failed.yield(await server.end(of: connection)) }
        let refusal = Task {
            let problem = await store.firstProblem()
            // Stores are told of the connection's end too, which isn't about the selection.
            if case .closed = await connection.settledStatus { return }
            failed.yield(CommandFailure(.refused, problem.description))
        }
        for await failure in failures {
            following.cancel()
            refusal.cancel()
            connection.close()
            if let failure { throw failure }
            return
        }
    }
}

/// Prints the states of a store on standard output.
@MainActor
final class StatePrinter: StoreSubscriber {
    private let store: RemoteStore<JSON>
    private let asLines: Bool

    init(of store: RemoteStore<JSON>, asLines: Bool) {
        self.store = store
        self.asLines = asLines
    }

    func newState(state: JSON) {
        if asLines {
            let version = JSON.uint(store.position?.version ?? 0)
            StandardOutput.write("\(["v": version, "value": state] as JSON)")
        } else if StandardOutput.isTerminal {
            StandardOutput.write(state.prettyText)
        } else {
            StandardOutput.write("\(state)")
        }
    }
}

extension RemoteStore {
    /// Waits until the server says why it doesn't send the selection.
    @MainActor
    func firstProblem() async -> Rejection {
        while true {
            if let problem { return problem }
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = problem
                } onChange: {
                    continuation.resume()
                }
            }
        }
    }
}
