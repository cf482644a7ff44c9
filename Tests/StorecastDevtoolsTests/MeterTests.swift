import StorecastServer
import StorecastSync
import Testing

@testable import StorecastDevtools
@testable import StorecastRoom

/// What is measured while somebody looks.
struct MeterTests {
    private func entry(
        _ client: String = "c", base: UInt64 = 0, refused: String? = nil
    ) -> JournalEntry {
        JournalEntry(
            client: client, seq: 1, base: base, settled: 0, sender: Identity("ada"),
            time: Timestamp(secondsSince1970: 0), seed: 1,
            actions: refused == nil ? [Add(number: 1)] : [],
            refused: refused.map { RefusedAction(type: $0, payload: "{}") })
    }

    @Test func `dispatches are counted by their types, with shares of the time`() {
        var meter = ActionMeter()
        meter.note(.microseconds(30), entry(), bytes: 12, isRejected: false)
        meter.note(.microseconds(30), entry(), bytes: 14, isRejected: true)
        meter.note(.microseconds(20), entry(refused: "Beer"), bytes: 5, isRejected: true)
        #expect(
            meter.costs == [
                ActionMeter.Cost(
                    type: "Add", count: 2, rejected: 1, bytes: 26, microseconds: 30, share: 0.75),
                ActionMeter.Cost(
                    type: "Beer", count: 1, rejected: 1, bytes: 5, microseconds: 20, share: 0.25),
            ])
    }

    @Test func `two hundred names are told apart, and the others taken together`() {
        var meter = ActionMeter()
        for number in 1...300 {
            meter.note(.zero, entry(refused: "T\(number)"), bytes: 0, isRejected: true)
        }
        #expect(meter.costs.count == 201)
        #expect(meter.costs.first { $0.type == ActionMeter.others }?.count == 100)
    }

    @Test func `a client's clock is the version that it knew, and how old that was`() {
        var clocks = ClientClocks()
        func reading(_ base: UInt64, _ version: UInt64, _ at: Int, isRejected: Bool = false)
            -> ClientClocks.Reading?
        {
            clocks.note(
                entry("a", base: base), isRejected: isRejected, at: version, .milliseconds(at))
            return clocks.reading(of: "a")
        }
        // What came before isn't known.
        #expect(reading(3, 7, 100) == ClientClocks.Reading(version: 3, age: nil))
        #expect(reading(7, 8, 200) == ClientClocks.Reading(version: 7, age: .zero))
        #expect(reading(7, 9, 250) == ClientClocks.Reading(version: 7, age: .milliseconds(50)))
        #expect(
            reading(8, 9, 280, isRejected: true)
                == ClientClocks.Reading(version: 8, age: .milliseconds(30)))
        #expect(
            reading(9, 9, 290, isRejected: true)
                == ClientClocks.Reading(version: 9, age: .zero))
        #expect(clocks.reading(of: "b") == nil)
    }

    @Test func `the clocks of a thousand clients are kept`() {
        var clocks = ClientClocks()
        for number in 0...ClientClocks.mostClients {
            clocks.note(entry("\(number)"), isRejected: true, at: 0, .zero)
        }
        #expect(clocks.reading(of: "1") == nil)
        #expect(clocks.reading(of: "\(ClientClocks.mostClients)") != nil)
    }
}
