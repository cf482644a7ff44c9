import Testing

@testable import StorecastServer

struct RelayFlowTests {
    @Test func `reading stops while too much is on its way to the other loop`() {
        var flow = RelayFlow(limit: 100)
        #expect(flow.sent(100) == nil)
        #expect(flow.sent(1) == false)
        // What was read already still comes.
        #expect(flow.sent(50) == nil)
        #expect(flow.taken(50) == nil)
        #expect(flow.taken(51) == true)
        #expect(flow.isReading)
    }

    @Test func `reading goes on when both allow it`() {
        var flow = RelayFlow(limit: 100)
        #expect(flow.want(false) == false)
        #expect(flow.sent(200) == nil)
        #expect(flow.want(true) == nil)
        #expect(flow.taken(200) == true)
        #expect(flow.want(true) == nil)
    }
}
