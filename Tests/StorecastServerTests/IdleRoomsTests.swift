import StorecastSync
import Testing

@testable import StorecastServer

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

    @Test func `progress is told after a second, and then every five seconds, until the end`() {
        var reports = RecoveryReports()
        let half = RoomProgress(room: "/", done: 1, total: 2)
        #expect(reports.isDue(half, at: .zero) == false)
        #expect(reports.isDue(half, at: .milliseconds(999)) == false)
        #expect(reports.isDue(half, at: .seconds(1)) == true)
        #expect(reports.isDue(half, at: .milliseconds(5900)) == false)
        #expect(
            reports.isDue(RoomProgress(room: "/b", done: 1, total: 2), at: .seconds(6)) == false)
        #expect(reports.isDue(half, at: .seconds(6)) == true)
        #expect(
            reports.isDue(RoomProgress(room: "/", done: 2, total: 2), at: .seconds(12)) == false)
        #expect(reports.isDue(half, at: .seconds(12)) == false)
    }
}
