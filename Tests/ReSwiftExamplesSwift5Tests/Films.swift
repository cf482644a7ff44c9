import Foundation
import Storecast

struct Film: Equatable {
    var title: String
}

enum FilmList: Equatable {
    case none
    case loading
    case films([Film])
    case failed
}

struct FilmsState {
    var list: FilmList = .none
    var isLoggedIn = true
}

struct SetFilms: Action {
    let list: FilmList
}

struct LogOut: Action {}

func filmsReducer(action: Action, state: FilmsState?) -> FilmsState {
    var state = state ?? FilmsState()
    switch action {
    case let action as SetFilms: state.list = action.list
    case _ as LogOut: state.isLoggedIn = false
    default: break
    }
    return state
}

/// A web service that answers on a thread of its own.
class FilmService {
    func films(named name: String, completion: @escaping ([Film]?) -> Void) {
        DispatchQueue.global().async {
            completion(name.isEmpty ? nil : [Film(title: "\(name) returns")])
        }
    }
}

func fetchFilms(named name: String) -> Store<FilmsState>.ActionCreator {
    return { state, store in
        guard state.isLoggedIn else { return nil }

        FilmService().films(named: name) { films in
            DispatchQueue.main.async {
                store.dispatch(SetFilms(list: films.map { .films($0) } ?? .failed))
            }
        }

        return SetFilms(list: .loading)
    }
}

func searchFilms(
    state: FilmsState,
    store: Store<FilmsState>,
    actionCreatorCallback: @escaping (((FilmsState, Store<FilmsState>) -> Action?)) -> Void
) {
    FilmService().films(named: "Alien") { films in
        DispatchQueue.main.async {
            actionCreatorCallback { state, store in
                films.map { SetFilms(list: .films($0)) }
            }
        }
    }
}
