@testable import StorecastCommand
import Foundation
import StorecastRoom
import StorecastSQLite
import StorecastServer
import TestSupport
import Testing

@Suite(.fewAtATime) struct ServedHistoryTests {
    @Test func `a history is known to have begun with another document`() throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "storecast-\(UUID().uuidString).sqlite").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(!ServedRoom.began(otherThan: ["a": 1], in: path), "There is none.")
        let room = JSONRoom.definition(initial: ["a": 1, "b": [1.5, "x"]])
        try JournalAddition.run(on: path) { addition in
            try addition.begin("/")
            try addition.add(try RoomReplay(room).keptSnapshot())
        }
        #expect(!ServedRoom.began(otherThan: ["a": 2], in: path), "Nothing has happened.")
        try FileManager.default.removeItem(atPath: path)
        try JournalAddition.run(on: path) { addition in
            try addition.begin("/")
            try addition.add(try RoomReplay(room).keptSnapshot())
            try addition.add(
                JournalRecord(
                    client: "c", seq: 1, base: 0, settled: 0, sender: .anonymous,
                    time: Timestamp(secondsSince1970: 0), seed: 0, actions: [], rejection: nil),
                at: 1)
        }
        #expect(!ServedRoom.began(otherThan: ["b": [1.5, "x"], "a": 1], in: path))
        #expect(ServedRoom.began(otherThan: ["a": 2, "b": [1.5, "x"]], in: path))
    }
}
