import StorecastSync
import Testing

/// The schema's version is the highest that anything implies.
struct RoomSchemaTests {
    private typealias Statement = @Sendable (RoomDefinition<Int>) -> RoomDefinition<Int>

    /// What is said of a room, with the version that it implies.
    private static let statements: [(version: Int, say: Statement)] = [
        (3, { $0.schema(3) }), (2, { $0.upcast("Add", from: 1) { _ in } }),
        (5, { $0.upcast("Add", from: 4) { _ in } }), (4, { $0.upcastState(from: 3) { _ in } }),
        (1, { $0.retire("Take") }),
    ]

    private let room = RoomDefinition(state: 0, actions: [], selections: []) { _, _ in }

    @Test func `it is 1 if nothing says more`() {
        #expect(room.schema.version == 1)
    }

    @Test func `it is raised by each statement, in whatever order they are made`() {
        func say(_ said: RoomDefinition<Int>, _ version: Int, _ rest: [Int]) {
            #expect(said.schema.version == version)
            for next in rest {
                let statement = Self.statements[next]
                say(
                    statement.say(said), max(version, statement.version),
                    rest.filter { $0 != next })
            }
        }
        say(room, 1, Array(Self.statements.indices))
    }

    @Test func `what was declared newest first is all there`() {
        let schema = Self.statements.reversed().reduce(room) { $1.say($0) }.schema
        #expect(schema.actions.keys.sorted() == [1, 4])
        #expect(schema.states.keys.sorted() == [3])
        #expect(schema.retired.count == 1)
    }

    @Test func `what can't be meant ends the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = RoomDefinition(state: 0, actions: [], selections: []) { _, _ in }.schema(0)
        }
        await #expect(processExitsWith: .failure) {
            _ = RoomDefinition(state: 0, actions: [], selections: []) { _, _ in }
                .upcast("Add", from: 1) { _ in }.upcast("Add", from: 1) { _ in }
        }
        await #expect(processExitsWith: .failure) {
            _ = RoomDefinition(state: 0, actions: [], selections: []) { _, _ in }
                .upcastState(from: 1) { _ in }.upcastState(from: 1) { _ in }
        }
    }
}
