import Storecast

// snippet: cancelling
@MainActor final class FilmSearch {
    private var search: Task<Void, any Error>?

    func begin(in store: Store<AppState>, _ service: any FilmService) {
        search?.cancel()  // what the last one waits for
        search = Task { try await store.dispatch(findFilms(from: service)) }
    }
}

func findFilms(from service: any FilmService) -> AsyncThunk<AppState, Void> {
    AsyncThunk { dispatch, _ in
        let titles = try await service.titles()
        try Task.checkCancellation()  // also if the service didn't look
        for title in titles { dispatch(AddFilm(title: title)) }
    }
}
// end of snippet

/// Begins two searches at once, and answers the films that are found.
@MainActor package func searchTwice() async -> [String] {
    let store = Store(state: AppState(), reducer: reduceFilms)
    let search = FilmSearch()
    search.begin(in: store, OneFilm())
    search.begin(in: store, OneFilm())
    while store.state.films.isEmpty { await Task.yield() }
    return store.state.films
}
