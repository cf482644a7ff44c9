import StorecastRoom
import Testing

@testable import StorecastServer

struct RecoveryReportsTests {
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
