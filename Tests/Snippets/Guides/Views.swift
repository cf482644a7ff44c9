import StorecastClient
import StorecastObservation

// snippet: list-view
struct ListView: View {
    let model: ListModel
    @State private var text = ""

    var body: some View {
        List {
            ForEach(model.items.state ?? []) { item in
                Toggle(item.text, isOn: isDone(item))
            }
            TextField("Something to buy", text: $text)
            Button("Add") {
                model.add(text)
                text = ""
            }
            Text(model.problem ?? "")
        }
    }

    private func isDone(_ item: Item) -> Binding<Bool> {
        Binding(get: { item.isDone }, set: { model.setDone(item, $0) })
    }
}
// end of snippet

// snippet: tabs
enum Tab: String, Codable, Hashable { case films, basket }

enum Screen: Codable, Hashable { case film(String), checkout }

struct Place: Codable, Equatable {
    var tab = Tab.films
    var stacks: [Tab: [Screen]] = [:]  // in parallel: each tab keeps its own
}

struct ShowTab: Action {
    var tab: Tab
}

struct SetStack: Action {
    var tab: Tab
    var screens: [Screen]  // all of them, from the outermost
}

func reducePlace(_ place: inout Place, _ action: any Action) {
    switch action {
    case let show as ShowTab: place.tab = show.tab
    case let set as SetStack: place.stacks[set.tab] = set.screens
    default: break
    }
}
// end of snippet

// snippet: navigation-binding
struct Films: View {
    let place: ObservedStore<Place>

    var body: some View {
        NavigationStack(path: stack(of: .films)) { FilmList() }
    }

    private func stack(of tab: Tab) -> Binding<[Screen]> {
        Binding(
            get: { place.value.stacks[tab] ?? [] },
            set: { place.dispatch(SetStack(tab: tab, screens: $0)) })
    }
}
// end of snippet

// snippet: deep-link
func open(_ path: String, in store: Store<Place>) {  // such as "/films/solaris"
    let words = path.split(separator: "/").map(String.init)
    guard let tab = words.first.flatMap(Tab.init(rawValue:)) else { return }
    store.batch {
        store.dispatch(ShowTab(tab: tab))
        store.dispatch(SetStack(tab: tab, screens: words.dropFirst().map(Screen.film)))
    }
}
// end of snippet
