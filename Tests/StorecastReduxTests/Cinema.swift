import StorecastRedux

/// The state, the actions and the reducers that the tests of the Redux shape share.
struct Cinema: Equatable {
    var count = 0
    var films: [String] = []
    var city = "Turin"
}

struct Count: PayloadAction, Equatable {
    let rawPayload: Int
    var meta: Any? { nil }
    let error: Bool

    init(payload: Int? = nil, meta: Any? = nil, error: Bool = false) {
        rawPayload = payload ?? 1
        self.error = error
    }
}

struct ShowFilm: Action, Equatable {
    let title: String
    var times = 1
}

func countReducer(state: Int?, action: any Action) -> Int {
    (state ?? 10) + ((action as? Count)?.rawPayload ?? 0)
}

func filmsReducer(state: [String]?, action: any Action) -> [String] {
    guard let film = action as? ShowFilm else { return state ?? [] }
    return (state ?? []) + Array(repeating: film.title, count: film.times)
}

func cinemaReducer(state: Cinema?, action: any Action) -> Cinema {
    var cinema = state ?? Cinema()
    cinema.count = countReducer(state: state?.count, action: action)
    cinema.films = filmsReducer(state: state?.films, action: action)
    return cinema
}

/// An object that a test watches: it is gone when nothing holds it.
final class Probe {
    var count = 0
}
