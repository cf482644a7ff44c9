import Testing

@Suite(.timeLimit(.minutes(30)))
@MainActor struct RoutingTests {
    @Test func `the routables are asked for what leads from one route to the next`() async {
        let app = AppDelegate()
        app.applicationDidFinishLaunching()
        await app.router.settle()
        app.userTapped(id: 7)
        await app.router.settle()
        app.settingsTapped()
        await app.router.settle()
        app.backTapped()
        await app.router.settle()

        #expect(
            app.window.log == [
                "root shows Home", "home shows User slowly", "home replaces User",
                "home shows Settings slowly", "home hides Settings",
            ])
        let id: Int? = app.store.state.navigationState.getRouteSpecificState([
            homeRoute, userRoute,
        ])
        #expect(id == 7)
    }
}
