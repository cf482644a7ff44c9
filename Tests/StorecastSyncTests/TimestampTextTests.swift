import StorecastSync
import Testing

struct TimestampTextTests {
    /// By GNU date.
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"),
        (-0.25, "1969-12-31T23:59:59.750Z"),
        (1_763_726_400.5, "2025-11-21T12:00:00.500Z"),
        (1_709_164_800, "2024-02-29T00:00:00.000Z"),
        (-62_135_596_800, "0001-01-01T00:00:00.000Z"),
        (253_402_300_799, "9999-12-31T23:59:59.000Z"),
        (951_827_696.789, "2000-02-29T12:34:56.789Z"),
        (1_763_726_400.007, "2025-11-21T12:00:00.007Z"),
        (1_483_228_799.9999, "2016-12-31T23:59:59.999Z"),
    ])
    func `a time is written as ISO 8601 has it`(seconds: Double, text: String) {
        #expect("\(Timestamp(secondsSince1970: seconds))" == text)
    }

    @Test(arguments: [1e300, -1e300, .infinity, .nan, 253_402_300_800])
    func `a time that no calendar has is the number that it is`(seconds: Double) {
        #expect(Timestamp(secondsSince1970: seconds).description == "\(seconds)")
    }

    @Test func `a local time says how far it is from UTC`() throws {
        let text = Timestamp(secondsSince1970: 1_763_726_400.5).text(inUTC: false)
        #expect(try #/2025-11-2[12]T\d\d:\d\d:00\.500[+-]\d\d:\d\d/#.wholeMatch(in: text) != nil)
        #expect(Timestamp.zone(0) == "+00:00")
        #expect(Timestamp.zone(-12_600) == "-03:30")
        #expect(Timestamp.zone(20_700) == "+05:45")
    }
}
