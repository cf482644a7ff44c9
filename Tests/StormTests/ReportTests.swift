import Testing

@testable import Storm

struct ReportTests {
    private static let head = """
        | fault | times | rooms | without an acked write, median, s | longest, s \
        | the slowest ack of any client, s |
        |---|--:|--:|--:|--:|--:|
        """

    @Test func `each kind of fault has a row, with the median and the longest of all its rooms`() {
        var report = Report()
        report.add("a kill", (gaps: [3, 5], slowestAck: 4))
        report.add("a move", (gaps: [0.25], slowestAck: 0.5))
        report.add("a kill", (gaps: [30], slowestAck: 2))
        #expect(report.faults == 3)
        #expect(
            report.table == """
                \(Self.head)
                | a kill | 2 | 3 | 5.00 | 30.0 | 4.00 |
                | a move | 1 | 1 | 0.250 | 0.250 | 0.500 |
                """)
    }

    @Test func `a fault that hit no room has no times`() {
        var report = Report()
        report.add("a stall", (gaps: [], slowestAck: 0))
        #expect(report.table == "\(Self.head)\n| a stall | 1 | 0 | - | - | 0.000 |")
    }

    @Test func `no two kinds of faults share a row`() {
        #expect(Set(Fault.allCases.map(\.title)).count == Fault.allCases.count)
    }
}
