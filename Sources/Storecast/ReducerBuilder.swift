/// Makes a list of reducers of the lines in a ``CombinedReducer``.
@resultBuilder
public enum ReducerBuilder<State> {
    /// One line.
    public static func buildExpression(_ line: Reduce<State>) -> [Reduce<State>] {
        [line]
    }

    /// All lines.
    public static func buildBlock(_ lines: [Reduce<State>]...) -> [Reduce<State>] {
        lines.flatMap { $0 }
    }

    /// A condition that holds or not.
    public static func buildOptional(_ lines: [Reduce<State>]?) -> [Reduce<State>] {
        lines ?? []
    }

    /// The lines of a condition that holds.
    public static func buildEither(first lines: [Reduce<State>]) -> [Reduce<State>] {
        lines
    }

    /// The lines for when it doesn't.
    public static func buildEither(second lines: [Reduce<State>]) -> [Reduce<State>] {
        lines
    }
}
