/// Stands in for SwiftUI, with its names and its isolation, so that the views of the pages are
/// compiled where there is none.
@MainActor protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    var body: Never { fatalError("There is nothing in it.") }
}

extension View where Body == Never {
    var body: Never { fatalError("It is one of the toolkit's own.") }
}

struct Pair<First: View, Second: View>: View {
    var first: First
    var second: Second
}

@resultBuilder @MainActor struct ViewBuilder {
    static func buildPartialBlock<Only: View>(first: Only) -> Only { first }

    static func buildPartialBlock<First: View, Second: View>(
        accumulated: First, next: Second
    ) -> Pair<First, Second> {
        Pair(first: accumulated, second: next)
    }
}

@propertyWrapper struct State<Value> {
    private final class Storage {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private let storage: Storage

    init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.value = newValue }
    }

    var projectedValue: Binding<Value> {
        Binding(get: { storage.value }, set: { storage.value = $0 })
    }
}

struct Binding<Value> {
    let get: () -> Value
    let set: (Value) -> Void
}

struct Text: View {
    init(_ text: String) {}
}

struct Button: View {
    init(_ title: String, action: @escaping () -> Void) {}
}

struct Toggle: View {
    init(_ title: String, isOn: Binding<Bool>) {}
}

struct TextField: View {
    init(_ title: String, text: Binding<String>) {}
}

struct List<Content: View>: View {
    init(@ViewBuilder content: () -> Content) {}
}

struct ForEach<Content: View>: View {
    init<Values: RandomAccessCollection>(
        _ values: Values, @ViewBuilder content: (Values.Element) -> Content
    ) where Values.Element: Identifiable {}
}

struct NavigationStack<Path, Content: View>: View {
    init(path: Binding<Path>, @ViewBuilder root: () -> Content) {}
}

struct FilmList: View {}
