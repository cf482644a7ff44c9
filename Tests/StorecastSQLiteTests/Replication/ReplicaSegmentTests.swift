import Foundation
import StorecastRoom
import StorecastSync
import TestSupport
import Testing

@testable import StorecastSQLite

/// The bytes of a replica's segments, and the names of their files.
struct ReplicaSegmentTests {
    private func written(_ body: (inout SegmentWriter) -> Void) -> [UInt8] {
        var writer = SegmentWriter()
        body(&writer)
        return writer.bytes
    }

    /// From the definition of LEB128 (DWARF 5, section 7.6).
    @Test(
        arguments: [
            (0, [0]), (127, [0x7F]), (128, [0x80, 1]), (624_485, [0xE5, 0x8E, 0x26]),
            (.max, [UInt8](repeating: 0xFF, count: 9) + [1]),
        ] as [(UInt64, [UInt8])])
    func `a number has seven bits in each byte`(number: UInt64, bytes: [UInt8]) throws {
        #expect(written { $0.add(number) } == bytes)
        var reader = SegmentReader(bytes[...])
        #expect(try reader.number() == number)
        #expect(reader.isAtEnd)
        for count in 0..<bytes.count {
            var short = SegmentReader(bytes[..<count])
            #expect(throws: SegmentReader.Broken.self) { try short.number() }
        }
    }

    @Test func `a number of too many bytes is broken`() {
        var reader = SegmentReader(([UInt8](repeating: 0x80, count: 10) + [0])[...])
        #expect(throws: SegmentReader.Broken.self) { try reader.number() }
    }

    @Test func `an empty text isn't none, and one has all its bytes`() throws {
        let none: [UInt8]? = nil
        #expect(written { $0.add(none) } == [0])
        #expect(written { $0.add("") } == [1])
        #expect(written { $0.add("ab") } == [3, 0x61, 0x62])
        var reader = SegmentReader([0, 1, 3, 0x61, 0x62, 9])
        #expect(try reader.text() == nil)
        #expect(try reader.text() == [])
        #expect(try reader.text() == [0x61, 0x62])
        #expect(reader.remainder == [9])
        for bytes in [[3, 0x61], [2], []] as [[UInt8]] {
            var short = SegmentReader(bytes[...])
            #expect(throws: SegmentReader.Broken.self) { try short.text() }
        }
        // A length that no memory has.
        var huge = SegmentReader(written { $0.add(UInt64.max) }[...])
        #expect(throws: SegmentReader.Broken.self) { try huge.text() }
        var missing = SegmentReader([0])
        #expect(throws: SegmentReader.Broken.self) { try missing.string() }
    }

    private static let header: ReplicaSegment.Header = {
        var header = ReplicaSegment.Header(
            generation: "20261126T000000Z", began: Timestamp(secondsSince1970: 1.5),
            time: Timestamp(secondsSince1970: 2.5))
        (header.number, header.start) = (3, 4)
        header.position = ReplicaPosition(
            history: .max, end: LogPlace(offset: 9, checksum: 8), snapshot: -1,
            unfinished: [1, -2], tombstones: [5: [], 6: [7]])
        return header
    }()

    @Test(arguments: [nil, Timestamp(secondsSince1970: -0.25)])
    func `a segment is read as it was written, and any other byte is noticed`(
        completed: Timestamp?
    ) throws {
        var header = Self.header
        header.completed = completed
        let segment = ReplicaSegment(header, records: [1, 2, 3])
        let bytes = segment.bytes
        #expect(bytes.starts(with: Array("storecast segment 1\n".utf8)))
        #expect(try ReplicaSegment(bytes) == segment)
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 4
            #expect(throws: SegmentReader.Broken.self) { try ReplicaSegment(other) }
        }
        for count in 0..<bytes.count {
            #expect(throws: SegmentReader.Broken.self) {
                try ReplicaSegment(Array(bytes[..<count]))
            }
        }
    }

    private static let row = EntryRow(
        client: "c", seq: 1, base: 2, settled: 3, sender: "s", roles: nil, time: -4.5, seed: .max,
        schema: -6, type: nil, payload: [], more: nil, rejection: [7])

    private static let records: [ReplicaSegment.Record] = [
        .room("/é", after: LogPlace(offset: 1, checksum: .max)),
        .snapshot(JournalSnapshot(offset: 1, version: 2, content: []), room: 7),
        .entry(row, at: LogPlace(offset: 3, checksum: 4), room: 0),
    ]

    @Test(arguments: records.indices)
    func `a record is read as it was written, whole or not at all`(place: Int) throws {
        let record = Self.records[place]
        let bytes = written { record.write(to: &$0) }
        var reader = SegmentReader(bytes[...])
        #expect(try ReplicaSegment.Record(&reader) == record)
        #expect(reader.isAtEnd)
        for count in 0..<bytes.count {
            var short = SegmentReader(bytes[..<count])
            #expect(throws: SegmentReader.Broken.self) { try ReplicaSegment.Record(&short) }
        }
    }

    @Test(arguments: [0, 4, 255] as [UInt8])
    func `a record of another kind is broken`(kind: UInt8) {
        var reader = SegmentReader([kind, 1, 0, 0, 0, 0])
        #expect(throws: SegmentReader.Broken.self) { try ReplicaSegment.Record(&reader) }
    }

    // MARK: Files

    @Test func `generations are named by their times, and come one after the other`() throws {
        let directory = try TemporaryDirectory()
        let folder = ReplicaFolder(path: directory.file("replica"))
        #expect(folder.generations == [])
        let time = Timestamp(secondsSince1970: 1_763_726_400.5)
        var names: [String] = []
        // The clock may go back, too.
        for seconds in [0.0, 0, 60, -3600] {
            let next = folder.next(at: Timestamp(secondsSince1970: time.secondsSince1970 + seconds))
            names.append(next.name)
            var header = ReplicaSegment.Header(generation: next.name, began: time, time: time)
            header.number = 1
            _ = try next.write(ReplicaSegment(header, records: []))
        }
        #expect(names.first?.hasPrefix("20251121T120000") == true)
        #expect(names[1] == names[0] + "-2")
        #expect(names[2].hasPrefix("20251121T120100"))
        #expect(names[3] == names[2] + "-2")
        // What isn't one, and what is being removed.
        for other in ["replica-lock", ".x", "20990101T000000Z-removed"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(other)", withIntermediateDirectories: true)
        }
        #expect(folder.generations.map(\.name) == names)
        folder.remove(folder.generations[0])
        #expect(folder.generations.map(\.name) == Array(names[1...]))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!left.contains { $0.hasSuffix("-removed") }, "\(left)")
    }

    @Test func `segments have their numbers as names, of ten digits, and are written once`() throws
    {
        let directory = try TemporaryDirectory()
        let generation = ReplicaGeneration(folder: directory.file("replica"), name: "g")
        var header = ReplicaSegment.Header(
            generation: "g", began: Timestamp(secondsSince1970: 0),
            time: Timestamp(secondsSince1970: 0))
        var files: [ReplicaGeneration.File] = []
        for number in [1, 2, 12_345_678_901] as [UInt64] {
            header.number = number
            files.append(try generation.write(ReplicaSegment(header, records: [])))
        }
        #expect(
            files.map(\.name) == [
                "0000000001.segment", "0000000002.segment", "12345678901.segment",
            ])
        #expect(generation.files == files)
        #expect(try generation.segment(files[2]).header.number == 12_345_678_901)
        header.number = 1
        let twice = #expect(throws: JournalError.self) {
            try generation.write(ReplicaSegment(header, records: [1]))
        }
        #expect(twice?.text.contains("is there already: something else writes") == true)
        // What a command has is known by its name, and of those only the newest is kept.
        for file in files[..<2] { try generation.markHandedOver(file) }
        #expect(generation.files.map(\.name) == ["0000000002.handed-over", "12345678901.segment"])
        #expect(generation.files.map(\.isHandedOver) == [true, false])
        // Under another name, and in another folder, it is none.
        try FileManager.default.moveItem(
            atPath: "\(generation.path)/12345678901.segment",
            toPath: "\(generation.path)/0000000003.segment")
        let moved = try #require(generation.files.last)
        let error = #expect(throws: JournalError.self) { try generation.segment(moved) }
        #expect(
            error?.text.hasSuffix(
                "is segment 12345678901 of generation 'g', under a wrong name.") == true)
    }

    @Test func `a replica keeps a week, begins anew each day, and has segments of 8 MiB`() {
        let options = JournalReplication.Options()
        #expect(options.keep == .seconds(604_800))
        #expect(options.generation == .seconds(86_400))
        #expect(options.segmentBytes == 8_388_608)
        #expect(options.handOver == nil)
    }
}
