/// What a decoder is told when it asks for a value: types that check theirs may take one of these.
struct SampleValues: Sendable {
    var text: String
    var number: Int

    /// In the order in which they are tried.
    static let all = [
        SampleValues(text: "a", number: 1), SampleValues(text: "", number: 0),
        SampleValues(text: "1", number: 2),
        SampleValues(text: "00000000-0000-0000-0000-000000000000", number: 10),
        SampleValues(text: "/a", number: 100), SampleValues(text: "2000-01-01", number: 2000),
        SampleValues(text: "2000-01-01T00:00:00Z", number: -1),
        SampleValues(text: "a@example.org", number: 1_000_000),
        SampleValues(text: "https://example.org/", number: 1),
    ]
}
