import Testing

@testable import StorecastRoom

struct DispatchWindowTests {
    private var window = DispatchWindow(known: 4)

    private mutating func admit(_ seqs: UInt64...) -> [DispatchWindow.Admission] {
        seqs.map { window.admit($0, window: 3) }
    }

    @Test mutating func `numbers go on from what is known, without gaps or repetitions`() {
        #expect(admit(5, 6) == [.take, .take])
        #expect(admit(8) == [.violation("seq 8 came where 7 was due.")])
        #expect(admit(6) == [.violation("seq 6 came where 7 was due.")])
    }

    @Test mutating func `the window is counted from what was acknowledged, not settled`() {
        #expect(admit(5, 6, 7) == [.take, .take, .take])
        window.settle(7)
        #expect(admit(8) == [.violation("More than 3 dispatches are without an outcome.")])
        #expect(window.takeAcknowledgement() == 7)
        #expect(window.takeAcknowledgement() == nil)
        #expect(admit(8) == [.take])
    }

    @Test mutating func `while one has to come again the later ones are ignored`() {
        _ = admit(5, 6)
        #expect(window.goBack(to: 5) == true)
        #expect(admit(7, 6, 5, 6) == [.ignore, .ignore, .take, .take])
    }

    /// The client can't know which of those behind the one that it was asked for were taken.
    @Test
    mutating func `what was taken behind one that an earlier entry settled may come once more`() {
        #expect(admit(5) == [.take])
        #expect(window.goBack(to: 5) == true)
        window.settle(5)
        // Under way since before the client was asked to go back.
        #expect(admit(6, 7) == [.take, .take])
        // It may not have heard yet that 5 was settled.
        #expect(admit(5, 6, 7) == [.ignore, .ignore, .ignore])
        #expect(admit(6, 7) == [.ignore, .ignore])
        #expect(window.goBack(to: 7) == true)
        #expect(admit(6, 7) == [.ignore, .take])
        #expect(admit(4) == [.violation("seq 4 came where 8 was due.")])
    }

    @Test mutating func `a dispatch is asked for once, until it comes again`() {
        _ = admit(5, 6, 7)
        #expect(window.goBack(to: 5) == true)
        // A copy of it, or of a later one, that an earlier connection had sent is refused, too.
        #expect(window.goBack(to: 5) == false)
        #expect(window.goBack(to: 6) == false)
        #expect(admit(5, 6) == [.take, .take])
        #expect(window.goBack(to: 5) == true)
    }

    @Test mutating func `the earliest that has to come again counts`() {
        _ = admit(5, 6, 7)
        #expect(window.goBack(to: 7) == true)
        #expect(window.goBack(to: 6) == true)
        #expect(admit(7, 6, 7) == [.ignore, .take, .take])
    }

    @Test mutating func `only what came on this connection can be asked for again`() {
        #expect(window.goBack(to: 5) == false)
        _ = admit(5)
        #expect(window.goBack(to: 5) == true)
        _ = admit(5)
        window.settle(5)
        #expect(window.goBack(to: 5) == false)
        #expect(admit(6) == [.take])
    }

    @Test mutating func `what an earlier connection's entry settled may be left out`() {
        window.settle(6)
        #expect(admit(8) == [.violation("seq 8 came where 5 was due.")])
        #expect(admit(7) == [.take])
        #expect(admit(7) == [.violation("seq 7 came where 8 was due.")])
    }
}
