import StorecastTesting
import Testing

/// What was dispatched in `/notes` up to version 4, once more.
///
/// Times, ids and random numbers are the test's own.
@MainActor struct CopiedIDsTests {
    @Test func `the room comes to version 4`() async throws {
        let room = TestRoom(Notes.room)
        let ada1 = room.connect(as: Identity("ada"))
        let bob1 = room.connect(as: Identity("bob"))
        // Ids are others than in the log: `id` is that of the newest dispatch.
        var id = ""
        room.withStore { store in
            store.middleware.insert(
                { _, _ in
                    { next in
                        { action in
                            let stamp = (action as? any Stamped)?.stamp
                            if let stamp, stamp.sender != .server, stamp.id != "" { id = stamp.id }
                            next(action)
                        }
                    }
                }, at: 0)
        }

        // v1
        _ = try await ada1.dispatch(
            type: "AddNote", payload: JSON(parsing: #"{"text":"Tea"}"#)
        ).outcome
        let idOfV1 = id
        // v2
        _ = try await bob1.dispatch(
            type: "EditNote", payload: JSON(parsing: ##"{"note":"\##(idOfV1)","text":"\"#"}"##)
        ).outcome
        // Rejected: There is no such note.
        // r7lk02dha6b1de0iqa4095vrm6 is no id of this test; it may be one of the log's.
        await #expect(throws: Rejection.self) {
            try await ada1.dispatch(
                type: "EditNote", payload: JSON(parsing: #"{"note":"r7lk02dha6b1de0iqa4095vrm6"}"#)
            ).outcome
        }
        // v3
        _ = try await bob1.dispatch(
            type: "AddNote", payload: JSON(parsing: #"{"text":"\#(bob1.participant)"}"#)
        ).outcome
        let idOfV3 = id
        // v4
        _ = try await ada1.dispatch(
            type: "EditNote", payload: JSON(parsing: #"{"note":"\#(idOfV3)","text":"\#(idOfV1)"}"#)
        ).outcome

        #expect(room.position.version == 4)
    }
}
