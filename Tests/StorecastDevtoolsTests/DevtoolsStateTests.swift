import StorecastSync
import StorecastWire
import Testing

@testable import StorecastDevtools
@testable import StorecastRoom

/// What the devtools' room takes, and what it keeps of it.
struct DevtoolsStateTests {
    private let replay = RoomReplay(DevtoolsState.room)
    private let entries = Entries()

    private final class Entries {
        var count: UInt64 = 0
    }

    /// What becomes of an action.
    private func dispatch(_ action: any SyncAction) throws -> EntryOutcome {
        entries.count += 1
        let number = entries.count
        let entry = JournalEntry(
            client: "a client of the devtools", seq: number, base: 0, settled: 0,
            sender: DevtoolsAccess.developer, time: Timestamp(secondsSince1970: 0), seed: 0,
            actions: [action])
        return try replay.reduce(try JournalRecord(entry), at: number).outcome
    }

    private func isTaken(_ action: any SyncAction) throws -> Bool {
        switch try dispatch(action) {
        case .reduced: return true
        case .rejected(let rejection):
            #expect(rejection.code == .invalid)
            return false
        case .duplicate: throw Rejection(.invalid, "It came before.")
        }
    }

    @Test func `the newest fifty dispatches are kept, with what became of them`() throws {
        for number in 1...51 {
            _ = try dispatch(ForwardAction(ticket: "\(number)", room: "/", type: "Add"))
        }
        let kept = replay.state.dispatches
        #expect(kept.count == 50)
        #expect(kept.map(\.ticket) == (2...51).map { "\($0)" })
        #expect(kept.allSatisfy { !$0.isOver })
        _ = try dispatch(DevtoolsActionEnded(id: kept[3].id, version: 7))
        let ended = replay.state.dispatches
        #expect(ended.map(\.isOver).enumerated().allSatisfy { $0.element == ($0.offset == 3) })
        #expect(ended[3].version == 7)
        _ = try dispatch(DevtoolsActionEnded(id: "nobody's"))
        #expect(replay.state.dispatches == ended)
    }

    @Test func `texts have a KiB each`() throws {
        let most = String(repeating: "x", count: 1024)
        for (text, isShort) in [(most, true), (most + "x", false)] {
            for action in [
                ForwardAction(ticket: text, room: "/", type: "a"),
                ForwardAction(ticket: "t", room: text, type: "a"),
                ForwardAction(ticket: "t", room: "/", type: text),
                KickAction(ticket: text, connection: 1), KickAction(ticket: "t", identity: text),
                KickAction(ticket: "t", connection: 1, reason: text),
                RevokeAction(ticket: text, identity: "a"),
                RevokeAction(ticket: "t", identity: text),
                ReloadAction(ticket: text),
            ] as [any SyncAction] { #expect(try isTaken(action) == isShort, "\(action)") }
        }
    }

    @Test func `a kick is of a connection or of somebody, and a revocation of somebody`() throws {
        #expect(try isTaken(KickAction(ticket: "t", connection: 1)))
        #expect(try isTaken(KickAction(ticket: "t", identity: "a")))
        #expect(try isTaken(KickAction(ticket: "t", connection: 1, identity: "")))
        #expect(try !isTaken(KickAction(ticket: "t")))
        #expect(try !isTaken(KickAction(ticket: "t", identity: "")))
        #expect(try !isTaken(KickAction(ticket: "t", connection: 1, identity: "a")))
        #expect(try isTaken(RevokeAction(ticket: "t", identity: "a")))
        #expect(try !isTaken(RevokeAction(ticket: "t", identity: "")))
    }

    @Test func `an answer stays until another takes its place, or nobody asks any more`() throws {
        let (rooms, state) = (
            DevtoolsQuestion.rooms, DevtoolsQuestion.state(RoomParameters(room: "/"))
        )
        _ = try dispatch(AnswerQuestions(answers: [rooms: 1, state: 2]))
        _ = try dispatch(AnswerQuestions(answers: [rooms: 3]))
        #expect(replay.state.answers == [rooms: 3, state: 2])
        _ = try dispatch(AnswerQuestions(answers: [rooms: .null]))
        #expect(replay.state.answers == [state: 2])
    }
}
