import Testing

@MainActor struct FilteredSubscriptionsTests {
    @Test func `each view hears of its part of the state, and only when it should`() {
        let repositories = RepositoriesViewController()
        let filter = FilterViewController()
        let badge = BadgeViewController()
        repositories.viewWillAppear(false)
        filter.viewWillAppear(false)
        badge.viewWillAppear(false)

        repositoriesStore.dispatch(SetFilter(filter: "swift"))
        repositoriesStore.dispatch(SetFilter(filter: "swift"))
        repositoriesStore.dispatch(SetRepositories(repositories: [Repository(name: "storecast")]))
        repositoriesStore.dispatch(SetUnread(unread: 0))
        repositoriesStore.dispatch(SetUnread(unread: 3))
        repositoriesStore.dispatch(SetUnread(unread: 3))
        repositories.viewWillDisappear(false)
        repositoriesStore.dispatch(SetRepositories(repositories: []))

        // Repositories aren't Equatable: it hears of every action but those its predicate skips.
        #expect(repositories.reloads == [[]] + [[String]](repeating: ["storecast"], count: 4))
        #expect(filter.texts == ["", "swift"])
        #expect(badge.badges == [nil, 3])
    }
}
