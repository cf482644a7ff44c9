import ArgumentParser
import StorecastClient
import StorecastTools

/// `storecast dispatch`
struct DispatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dispatch",
        abstract: "Dispatch an action, or one for every line of standard input.",
        discussion: """
            Waits until the server has reduced the action, or rejected it.

              storecast dispatch localhost:9090 Say '{"text":"Hello"}' --as ada
              storecast dispatch localhost:9090 increment '{"path":"/n"}'
              storecast dispatch localhost:9090 < actions.jsonl

            A line of input is {"type":TYPE,"payload":PAYLOAD}, or TYPE PAYLOAD; empty ones are \
            skipped. They are sent as they come, in order, without waiting for one another.

            Exit status: 0 if every action was acked; 1 if one was rejected (standard error says \
            why); 2 if a line can't be read, or the server can't be reached or ends the connection; \
            64 if the command makes no sense.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: "The action's type. Without it actions are read from standard input.")
    var type: String?

    @Argument(help: "The action's payload, a JSON object.")
    var payload: String?

    func run() async throws {
        let action = try type.map { type in
            try ActionLine(type: type, payload: payload.map(JSONText.payload))
        }
        let connection = try await server.connect()
        defer { connection.close() }
        let input = StandardInput()
        let following = Task { [server] in
            let failure = await server.end(of: connection)
            // Nobody takes what would be read.
            input.stop()
            return failure
        }
        let batch = DispatchBatch(on: connection)
        if let action {
            await batch.dispatch(action, line: nil)
        } else {
            await batch.dispatchLines(of: input)
        }
        let result = await batch.finish()
        if batch.isCut, let failure = await following.value { throw failure }
        if let result { throw result }
    }
}
