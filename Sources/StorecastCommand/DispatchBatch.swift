import StorecastClient
import StorecastSync
import StorecastTools

/// Dispatches that are under way, and what became of them.
final class DispatchBatch {
    private let connection: RemoteConnection
    private var pending: [(line: Int?, dispatch: Dispatch)] = []
    private var acked = 0
    private var rejected = 0
    private var unreadable = 0
    private var lastVersion: UInt64 = 0
    /// Whether the connection ended before everything was read and had an outcome.
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

    /// Waits for all outcomes; says what went wrong, if something did.
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

    /// Whether this is the end of the connection, and no outcome.
    private func isEnd(_ rejection: Rejection) async -> Bool {
        guard case .closed(let end) = await connection.settledStatus else { return false }
        return rejection == end ?? ClientSession.closed
    }
}
