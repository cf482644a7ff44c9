@testable import StorecastRoom
import Testing

struct JSONDifferencesTests {
    @Test(arguments: [
        (#"{"a":1,"b":[1,2]}"#, #"{"b":[1.0,2],"a":1}"#, []),
        ("1", "2", [""]),
        (#"{"a":1}"#, #"{"a":[1]}"#, ["/a"]),
        (#"{"a":1,"b":2}"#, #"{"b":2,"c":3}"#, ["/a", "/c"]),
        (#"{"a":[{"x":1},{"x":2}]}"#, #"{"a":[{"x":1},{"x":3}]}"#, ["/a/1/x"]),
        (#"{"a":[1,2]}"#, #"{"a":[1]}"#, ["/a"]),
    ])
    func `they are as deep as both values go`(left: String, right: String, places: [String]) {
        let differences = JSONDifferences(between: parsed(left), and: parsed(right))
        #expect(differences.places.map(\.description) == places)
    }

    @Test func `two touch where one contains the other`() {
        let change = JSONDifferences(between: parsed(#"{"a":[1]}"#), and: parsed(#"{"a":[2]}"#))
        let growth = JSONDifferences(between: parsed(#"{"a":[1]}"#), and: parsed(#"{"a":[]}"#))
        let other = JSONDifferences(between: parsed(#"{"b":1}"#), and: parsed(#"{"b":2}"#))
        #expect(change.touches(growth))
        #expect(growth.touches(change))
        #expect(!change.touches(other))
    }

    @Test func `there are no more than the limit`() {
        let left = JSON.array((0..<9).map { .int($0) })
        let right = JSON.array((1..<10).map { .int($0) })
        #expect(JSONDifferences(between: left, and: right, limit: 4).places.count == 4)
    }
}
