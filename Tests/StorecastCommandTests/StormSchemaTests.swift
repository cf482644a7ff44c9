import StorecastServer
import StorecastTools
import Testing

@testable import StorecastCommand

/// What schemas documents have while `Tests/Storm` tries deploys.
struct StormSchemaTests {
    private func room(_ schema: String?) throws -> RoomDefinition<SharedDocument> {
        let environment = schema.map { [StormSchema.variable: $0] } ?? [:]
        return try StormSchema(environment).definition(
            initial: ["tea": 1], bytes: JSONRoom.longestDocument)
    }

    @Test(arguments: [nil, "1", "0", "two"])
    func `without one they are as they are for everybody`(schema: String?) throws {
        let room = try room(schema)
        #expect(room.schema.version == 1)
        #expect(RoomReplay(room).state.value == ["tea": 1])
    }

    @Test func `a new document says its schema`() throws {
        let room = try room("3")
        #expect(room.schema.version == 3)
        #expect(RoomReplay(room).state.value == ["tea": 1, "schema": 3])
    }

    @Test(arguments: ["1", "2", "4"])
    func `one that was kept is brought up from each schema before`(schema: String) throws {
        let kept = try RoomReplay(room(schema)).keptSnapshot()
        let replay = try RoomReplay(room("4"))
        try replay.restore(kept)
        #expect(replay.state.value == ["tea": 1, "schema": 4])
    }

    @Test func `a later one isn't read`() throws {
        let kept = try RoomReplay(room("3")).keptSnapshot()
        let replay = try RoomReplay(room("2"))
        #expect(throws: (any Error).self) { try replay.restore(kept) }
    }

    @Test func `one that has another schema than it is kept with isn't brought up`() {
        #expect(throws: CommandFailure.self) {
            try StormSchema([StormSchema.variable: "2"]).definition(
                initial: ["schema": 2], bytes: JSONRoom.longestDocument)
        }
    }
}
