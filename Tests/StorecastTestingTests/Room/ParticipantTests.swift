import StorecastTesting
import Testing

@MainActor struct ParticipantTests {
    private struct Arrivals: Codable, Equatable, Sendable {
        var participants: [String] = []
    }

    @Test func `a connection knows by which name the room sees it come`() async {
        let definition = RoomDefinition(
            state: Arrivals(), actions: [],
            selections: [] as [Selection<Arrivals, NoParameters, Int>]
        ) { arrivals, action in
            if let joined = action as? ClientJoined {
                arrivals.participants.append(joined.participant)
            }
        }
        let room = TestRoom(definition.lifecycle())
        let phone = room.connect(as: Identity("ada"))
        await room.settle()
        let tablet = room.connect(as: Identity("ada"))
        await room.settle()
        #expect(room.state.participants == [phone.participant, tablet.participant])
        #expect(phone.participant != tablet.participant)
    }
}
