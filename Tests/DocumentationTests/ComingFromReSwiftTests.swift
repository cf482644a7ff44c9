import ComingFromReSwift
import Testing

/// What `Coming-from-ReSwift.md` shows does what it says.
@Suite(.timeLimit(.minutes(30)))
@MainActor struct ComingFromReSwiftTests {
    @Test func `middleware stops and logs actions, and thunks run`() {
        let (counter, log) = countToTen()
        #expect(counter == 10)
        #expect(log == ["Increase(by: 10)", #"AddFilm(title: "Solaris")"#])
    }

    @Test func `a scope dispatches to the whole store, and a batch is told once`() async {
        let (films, journal) = await showMore()
        #expect(films == 0)
        #expect(journal == ["start: 8", "Increase(by: 1): 10"])
    }

    @Test func `action creators and thunks load films`() async throws {
        #expect(try await loadFilms() == 3)
        try expectThunk()
    }

    @Test func `history goes on from where one travels to`() async throws {
        let (votes, recorded) = try await travel()
        #expect(votes == ["Mirror": 1])
        #expect(recorded == 1)
    }

    @Test func `routes are shown and keep their data`() async {
        let (route, article) = await showBasket()
        #expect(route == ["tabs", "basket"])
        #expect(article == 7)
    }

    @Test func `a store in the shape of Redux counts until its subscription ends`() {
        #expect(useRedux() == ["0 Increment(payload: 2)", "2", "true"])
    }

    @Test func `reducers of parts and protocols make one`() {
        let (visitors, basket, shown) = visitShop()
        #expect(visitors == 2)
        #expect(basket == ["tea"])
        #expect(shown == 1)
    }

    @Test func `who swipes back is where the state says, and nothing is shown again`() async {
        let (shown, route) = await swipeBack()
        #expect(shown.isEmpty)
        #expect(route.isEmpty)
    }

    @Test func `of two searches the first is cancelled`() async {
        #expect(await searchTwice() == ["Mirror"])
    }
}
