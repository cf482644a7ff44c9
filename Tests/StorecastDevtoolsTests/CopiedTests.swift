import StorecastTesting
import Testing

/// What was dispatched in `/tally` up to version 3, once more.
///
/// Times, ids and random numbers are the test's own.
@MainActor struct CopiedTests {
    @Test func `the room comes to version 3`() async throws {
        let room = TestRoom(Tallies.upTo10)
        let ada1 = room.connect(as: Identity("ada"))
        let bob1 = room.connect(as: Identity("bob \"the\" \\", roles: ["admin"]))

        // v1
        _ = try await ada1.dispatch(
            type: "Add", payload: JSON(parsing: #"{"number":6}"#)
        ).outcome
        // v2
        _ = try await bob1.dispatch(
            type: "Add", payload: JSON(parsing: ##"{"number":1,"padding":"\"# \\#"}"##)
        ).outcome
        // Rejected: It goes from 0 to 10.
        await #expect(throws: Rejection.self) {
            try await ada1.dispatch(
                type: "Add", payload: JSON(parsing: #"{"number":6}"#)
            ).outcome
        }
        // ada's Beer was refused: no such action. The log has only a digest of its payload.
        // v3
        _ = try await ada1.dispatch(
            type: "Add", payload: JSON(parsing: #"{"number":2}"#)
        ).outcome

        #expect(room.position.version == 3)
    }
}
