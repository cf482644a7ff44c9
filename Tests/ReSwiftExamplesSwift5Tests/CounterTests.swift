import Testing

@MainActor struct CounterTests {
    @Test func `the label follows the counter while the view is there`() {
        let controller = CounterViewController()
        controller.viewWillAppear(false)
        #expect(controller.counterLabel.text == "0")
        controller.increaseButtonTapped(UIButton())
        controller.increaseButtonTapped(UIButton())
        controller.decreaseButtonTapped(UIButton())
        #expect(controller.counterLabel.text == "1")
        controller.viewWillDisappear(false)
        controller.increaseButtonTapped(UIButton())
        #expect(controller.counterLabel.text == "1")
        #expect(mainStore.state.counter == 2)
    }
}
