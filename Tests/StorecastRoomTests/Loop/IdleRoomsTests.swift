@testable import StorecastRoom
import Testing

struct IdleRoomsTests {
    @Test func `rooms are due when nobody came back, and watched while there are any`() {
        var rooms = IdleRooms()
        #expect(rooms.left("a", until: .seconds(10)) == true)
        #expect(rooms.left("b", until: .seconds(12)) == false)
        #expect(rooms.left("c", until: .seconds(11)) == false)
        #expect(rooms.nextDeadline() == .seconds(10))
        rooms.entered("c")
        // Whoever uses it again gives it more time.
        #expect(rooms.left("a", until: .seconds(12)) == false)
        #expect(rooms.takeDue(at: .seconds(11)) == [])
        #expect(rooms.nextDeadline() == .seconds(12))
        #expect(rooms.takeDue(at: .seconds(12)) == ["a", "b"])
        #expect(rooms.nextDeadline() == nil)
        #expect(rooms.left("a", until: .seconds(20)) == true)
    }
}
