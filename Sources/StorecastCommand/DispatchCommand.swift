import ArgumentParser
import StorecastClient
import StorecastSync
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
            why); 2 if a line can't be read, or the server can't be reached or ends the \
            connection; 64 if the command makes no sense.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: "The action's type. Without it actions are read from standard input.")
    var type: String?

    @Argument(help: "The action's payload, a JSON object.")
    var payload: String?

    /// What is said to a person at a terminal, who would wait as well.
    static let invitation =
        "waiting for lines: type TYPE PAYLOAD, as in Say {\"text\":\"Hello\"}; Ctrl-D ends"

    func run() async throws {
        let action = try type.map { type in
            try ActionLine(type: type, payload: payload.map(JSONText.payload))
        }
        let connection = try await server.connect()
        defer { connection.close() }
        let input = StandardInput()
        let following = Task { [server] in
            let failure = await server.end(of: connection)
            // What is read now couldn't be sent.
            input.stop()
            return failure
        }
        let batch = DispatchBatch(on: connection)
        if action == nil, StandardInput.isTerminal { StandardError.write(Self.invitation) }
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

/// Dispatches that are under way, and what became of them.
final class DispatchBatch {
    private let connection: RemoteConnection
    private var pending: [(line: Int?, dispatch: Dispatch)] = []
    private var acked = 0
    private var rejected = 0
    private var unreadable = 0
    private var lastVersion: UInt64 = 0
    /// Whether the connection ended before all input was read and every dispatch had an outcome.
    private(set) var isCut = false

    /// How many may be without an outcome before no more lines are read.
    private static let window = 1_000

    init(on connection: RemoteConnection) {
        self.connection = connection
    }

    func dispatch(_ action: ActionLine, line: Int?) async {
        pending.append((line, connection.dispatch(type: action.type, payload: action.payload)))
        if pending.count >= Self.window { await settle(Self.window / 2) }
    }

    /// Dispatches every line of standard input, until that is stopped.
    func dispatchLines(of input: StandardInput) async {
        var number = 0
        while let line = await input.nextLine() {
            number += 1
            do throws(CommandFailure) {
                guard let action = try ActionLine(parsing: line) else { continue }
                await dispatch(action, line: number)
            } catch {
                unreadable += 1
                StandardError.write("line \(number): \(error)")
            }
        }
        if input.isStopped { isCut = true }
    }

    /// Waits for all outcomes; returns what went wrong, if anything did.
    func finish() async -> CommandFailure? {
        await settle(pending.count)
        if StandardError.isTerminal, acked > 0 {
            let actions = acked == 1 ? "1 action" : "\(acked) actions"
            StandardError.write("\(actions) acked, the last at version \(lastVersion)")
        }
        if unreadable > 0 {
            return CommandFailure(
                .trouble, "\(unreadable) of the lines can't be read; the others were dispatched.")
        }
        guard rejected > 0 else { return nil }
        return CommandFailure(
            .refused, "\(rejected) of \(acked + rejected) actions rejected.")
    }

    private func settle(_ count: Int) async {
        for (line, dispatch) in pending.prefix(count) {
            do throws(Rejection) {
                lastVersion = try await dispatch.outcome.version
                acked += 1
            } catch {
                if await isEnd(error) {
                    isCut = true
                    continue
                }
                rejected += 1
                let place = line.map { "line \($0): " } ?? ""
                StandardError.write("\(place)rejected (\(error.code)): \(error)")
            }
        }
        pending.removeFirst(count)
    }

    /// Whether this rejection says that the connection ended, and isn't an outcome.
    private func isEnd(_ rejection: Rejection) async -> Bool {
        guard case .closed(let end) = await connection.settledStatus else { return false }
        return rejection == end ?? ClientSession.closed
    }
}

/// An action as `dispatch` takes it: by its wire name, with its payload as JSON.
struct ActionLine: Equatable {
    var type: String
    var payload: JSON?

    init(type: String, payload: JSON?) {
        self.type = type
        self.payload = payload
    }

    /// Reads `{"type":…,"payload":…}` or `TYPE PAYLOAD`; nil for an empty line.
    init?(parsing line: String) throws(CommandFailure) {
        let text = line.drop(while: \.isWhitespace)
        guard let first = text.first else { return nil }
        if first == "{" {
            self = try Self(object: JSONText.parse(String(text), "The action"))
            return
        }
        let parts = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        type = String(parts[0])
        let rest = parts.count > 1 ? parts[1].drop(while: \.isWhitespace) : ""
        payload = rest.isEmpty ? nil : try JSONText.payload(String(rest))
    }

    private init(object: JSON) throws(CommandFailure) {
        guard let type = object["type"]?.string else {
            throw CommandFailure(
                .trouble, "The action has no type: write {\"type\":TYPE,\"payload\":PAYLOAD}.")
        }
        self.type = type
        payload = object["payload"]
    }
}
