import StorecastTables
import Testing

@testable import StorecastSync

/// What is told of rows, found by looking at each of them; with values worked out by hand.
struct RowAggregateTests {
    private struct Sale: Identifiable, Codable, Equatable, Sendable {
        var id: Int
        var shop: String
        var price: Int
        var discount: Int?
        var weight: Double?
    }

    private struct Summary: Codable, Equatable, Sendable {
        var count: Int
        var worth: Int
        var lightest: Double?
        var dearest: Int?
    }

    private let sales = Table([
        Sale(id: 1, shop: "e\u{301}", price: 5, discount: 1, weight: 2.5),
        Sale(id: 2, shop: "a", price: 7, discount: nil, weight: nil),
        Sale(id: 3, shop: "\u{e9}", price: -3, discount: 2, weight: 0.5),
        Sale(id: 4, shop: "a", price: 7, discount: nil, weight: 9),
    ])

    @Test func `rows are counted, added up, and their least and greatest values found`() {
        let query = RowQuery<Sale>()
        #expect(query.aggregate(.count).value(of: sales) == 4)
        #expect(query.aggregate(.sum(\.price)).value(of: sales) == 16)
        #expect(query.aggregate(.sum(\.discount)).value(of: sales) == 3)
        #expect(query.aggregate(.min(\.price)).value(of: sales) == -3)
        #expect(query.aggregate(.max(\.weight)).value(of: sales) == 9)
        #expect(query.aggregate(.min(\.weight)).value(of: sales) == 0.5)
    }

    @Test func `only rows that the filters pick count, whatever the page`() {
        let query = RowQuery<Sale>().where(\.shop, is: "a").filter { $0.id > 2 }
        #expect(query.aggregate(.count).value(of: sales) == 1)
        let page = RowQuery<Sale>().sorted(by: \.price).limit(1)
        #expect(page.aggregate(.count).value(of: sales) == 4)
    }

    @Test func `without rows there is no least value, and the sum is 0`() {
        let query = RowQuery<Sale>()
        #expect(query.aggregate(.count).value(of: Table()) == 0)
        #expect(query.aggregate(.sum(\.price)).value(of: Table()) == 0)
        #expect(query.aggregate(.min(\.price)).value(of: Table()) == nil)
        #expect(query.aggregate(.count, groupedBy: \.shop).value(of: Table()).isEmpty)
    }

    @Test func `several aggregates are one value, also of each group, by the bytes of its name`() {
        let summary = RowAggregate<Sale, Summary>.combined(
            .count, .sum(\.price), .min(\.weight), .max(\.price)
        ) {
            Summary(count: $0, worth: $1, lightest: $2, dearest: $3)
        }
        let query = RowQuery<Sale>()
        #expect(
            query.aggregate(summary).value(of: sales)
                == Summary(count: 4, worth: 16, lightest: 0.5, dearest: 7))
        let groups = query.aggregate(summary, groupedBy: \.shop).value(of: sales)
        #expect(groups.count == 3)
        #expect(
            groups[id: "a"]?.value == Summary(count: 2, worth: 14, lightest: 9, dearest: 7))
        #expect(
            groups[id: "\u{e9}"]?.value == Summary(count: 1, worth: -3, lightest: 0.5, dearest: -3))
    }

    @Test func `a sum beyond what an integer holds is the greatest, or the least`() {
        func sum(_ prices: [Int]) -> Int {
            let rows = prices.enumerated().map {
                Sale(id: $0, shop: "", price: $1, discount: nil, weight: nil)
            }
            return RowQuery().aggregate(.sum(\.price)).value(of: Table(rows))
        }
        #expect(sum([.max, 1]) == .max)
        #expect(sum([.min, -1, -1]) == .min)
        #expect(sum([.max, .max, .min, .min]) == -2)
    }
}
