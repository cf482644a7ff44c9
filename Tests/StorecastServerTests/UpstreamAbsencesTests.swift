import Synchronization
import Testing

@testable import StorecastServer

/// What an edge logs of owners that it can't reach.
struct UpstreamAbsencesTests {
    /// A clock that stands still until it is set forward.
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func advance(by duration: Duration) { time.withLock { $0 += duration } }
    }

    private let clock: Clock
    private let absences: UpstreamAbsences

    init() {
        let clock = Clock()
        self.clock = clock
        absences = UpstreamAbsences { clock.now }
    }

    @Test func `the first room that misses its owner is logged, and the last that has it again`() {
        let rooms = (0..<1000).map { "/\($0)" }
        #expect(
            rooms.map { absences.missed($0, "s", "gone") } == [true]
                + rooms.dropFirst().map { _ in false })
        #expect(
            rooms.map { absences.found($0, "s") } == rooms.dropLast().map { _ in false } + [true])
        #expect(!absences.found("/0", "s"))
    }

    @Test func `another reason is logged ten seconds later, and the same one isn't`() {
        #expect(absences.missed("/", "s", "gone"))
        #expect(!absences.missed("/", "s", "refused"))
        clock.advance(by: UpstreamAbsences.pause)
        #expect(!absences.missed("/", "s", "gone"))
        #expect(absences.missed("/", "s", "refused"))
        clock.advance(by: UpstreamAbsences.pause)
        #expect(!absences.missed("/other", "s", "refused"))
    }

    @Test func `one that goes for the same reason again and again is logged now and then`() {
        #expect(absences.missed("/", "s", "moved") && absences.found("/", "s"))
        for _ in 0..<100 {
            #expect(!absences.missed("/", "s", "moved") && !absences.found("/", "s"))
        }
        #expect(absences.missed("/", "s", "gone") && absences.found("/", "s"))
        clock.advance(by: UpstreamAbsences.pause)
        #expect(absences.missed("/", "s", "gone") && absences.found("/", "s"))
    }

    @Test func `each owner is one by itself`() {
        #expect(absences.missed("/a", "s", "gone") && absences.missed("/b", "t", "gone"))
        #expect(absences.found("/a", "s") && absences.found("/b", "t"))
    }

    @Test func `a room that is let go of says nothing of the owner, and is waited for no more`() {
        #expect(absences.missed("/a", "s", "gone") && !absences.missed("/b", "s", "gone"))
        absences.letGo("/a", "s")
        #expect(absences.found("/b", "s"))
        #expect(absences.missed("/a", "s", "refused"))
        absences.letGo("/a", "s")
        // Whoever comes next finds out that it is there.
        #expect(absences.found("/c", "s"))
    }
}
