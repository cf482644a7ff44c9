import Storecast
import Testing

@MainActor struct CombinedSubstatesTests {
    @Test func `a subscription combines several substates and hears of those only`() {
        let store = Store(reducer: shopReducer, state: nil)
        let checkout = CheckoutViewController()
        checkout.appear(with: store)
        store.dispatch(CountVisitor())
        store.dispatch(AddToBasket(article: "tea"))
        store.dispatch(CountVisitor())
        store.dispatch(LogIn(name: "Ada"))
        #expect(checkout.shown == ["Hello, stranger: 0", "Hello, stranger: 1", "Hello, Ada: 1"])
        #expect(store.state.visitors == 2)
    }
}
