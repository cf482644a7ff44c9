import Storecast
import StorecastTesting

// snippet: film-actions
struct AddFilm: Action, Equatable {
    var title: String
}

struct LoadingBegan: Action, Equatable {}
// end of snippet

protocol FilmService {
    nonisolated(nonsending) func titles() async throws -> [String]
}

struct OneFilm: FilmService {
    func titles() async -> [String] { ["Mirror"] }
}

func reduceFilms(_ state: inout AppState, _ action: any Action) {
    if let add = action as? AddFilm { state.films.append(add.title) }
}

// snippet: action-creator
func addFilm(_ title: String) -> Store<AppState>.ActionCreator {
    { state, store in state.films.contains(title) ? nil : AddFilm(title: title) }
}
// end of snippet

// snippet: thunk
func addFilms(_ titles: [String]) -> Thunk<AppState> {
    Thunk { dispatch, getState in
        for title in titles where getState()?.films.contains(title) == false {
            dispatch(AddFilm(title: title))
        }
    }
}
// end of snippet

// snippet: async-thunk
func loadFilms(from service: any FilmService) -> AsyncThunk<AppState, Int> {
    AsyncThunk { dispatch, getState in
        dispatch(LoadingBegan())
        let titles = try await service.titles()
        for title in titles { dispatch(AddFilm(title: title)) }
        return getState()?.films.count ?? 0
    }
}
// end of snippet

/// Loads films in every way there is, and answers how many there are.
@MainActor package func loadFilms() async throws -> Int {
    let store = Store(
        state: AppState(), middleware: [createThunkMiddleware()], reducer: reduceFilms)
    let service: any FilmService = OneFilm()
    // snippet: dispatch-film
    store.dispatch(addFilm("Solaris"))  // an action creator
    store.dispatch(addFilms(["Solaris", "Stalker"]))  // a thunk
    let count = try await store.dispatch(loadFilms(from: service))  // waits for its result
    // end of snippet
    return count
}

/// Throws if the thunk doesn't dispatch what it should.
package func expectThunk() throws {
    // snippet: expect-thunk
    try ExpectThunk(addFilms(["Solaris", "Stalker"]))
        .getsState(AppState())
        .dispatches(AddFilm(title: "Solaris"))
        .getsState(AppState(films: ["Stalker"]))
        .run()
    // end of snippet
}
