import StorecastSync
import Testing

/// Which rows are a query's.
struct RowQueryTests {
    private struct Row: Identifiable, Sendable {
        var id = ""
        var number = 0
        var due: Double?
    }

    private typealias Part = (
        apply: @Sendable (RowQuery<Row>) -> RowQuery<Row>, holds: @Sendable (Row) -> Bool
    )

    /// What a query may ask for, with what that means in plain Swift.
    private static let parts: [Part] = [
        ({ $0.where(\.number, in: 3...) }, { (3...).contains($0.number) }),
        ({ $0.where(\.number, in: ..<6) }, { (..<6).contains($0.number) }),
        ({ $0.where(\.number, in: ...5) }, { (...5).contains($0.number) }),
        ({ $0.where(\.number, in: 1..<6) }, { (1..<6).contains($0.number) }),
        ({ $0.where(\.number, in: 1...5) }, { (1...5).contains($0.number) }),
        ({ $0.where(\.number, in: 4..<4) }, { (4..<4).contains($0.number) }),
        ({ $0.where(\.number, in: 4...4) }, { (4...4).contains($0.number) }),
        ({ $0.where(\.number, is: 4) }, { $0.number == 4 }),
        ({ $0.where(\.due, is: nil) }, { $0.due == nil }),
        ({ $0.where(\.due, is: 0.5) }, { $0.due == 0.5 }),
        ({ $0.filter { !$0.number.isMultiple(of: 2) } }, { !$0.number.isMultiple(of: 2) }),
        ({ $0.filter { $0.number != 5 } }, { $0.number != 5 }),
        ({ $0.filter { $0.due != 0.5 } }, { $0.due != 0.5 }),
    ]

    private static let rows = (0..<8).flatMap { number in
        [nil, 0.5, 1.5].map { Row(number: number, due: $0) }
    }

    private func check(_ parts: [Part]) {
        let query = parts.reduce(RowQuery<Row>()) { $1.apply($0) }
        let found = Self.rows.map { query.holds(for: $0) }
        #expect(found == Self.rows.map { row in parts.allSatisfy { $0.holds(row) } })
    }

    @Test func `a query that asks for nothing has all rows`() { check([]) }

    @Test(arguments: parts.indices)
    func `ranges hold what Swift's ranges contain, and values what is equal`(part: Int) {
        check([Self.parts[part]])
    }

    @Test(arguments: parts.indices)
    func `everything that is asked for has to hold, in whatever order it was said`(first: Int) {
        for second in Self.parts {
            check([Self.parts[first], second])
            for third in Self.parts { check([Self.parts[first], second, third]) }
        }
    }
}
