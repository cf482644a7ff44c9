import Foundation
import TestSupport
import Testing

@testable import StorecastClient

/// The file in which values are kept.
struct FileMirrorStorageTests {
    private let folder: TemporaryDirectory
    private let storage: FileMirrorStorage
    private var path: String { folder.file("values") }

    init() throws {
        folder = try TemporaryDirectory()
        storage = FileMirrorStorage(folder.file("values"))
    }

    @Test func `what was written is there, whole, and nothing where nothing was written`() throws {
        #expect(storage.read(atMost: .max) == nil)
        for size in [0, 1, 300_000, 7] {
            let text = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) }
            try storage.replace(with: text)
            #expect(storage.read(atMost: .max) == text)
            #expect(folder.names == ["values"])
        }
        try storage.remove()
        #expect(folder.names == [] && storage.read(atMost: .max) == nil)
        try storage.remove()
    }

    @Test func `no more is read than may be`() throws {
        try storage.replace(with: [1, 2, 3])
        #expect(storage.read(atMost: 3) == [1, 2, 3])
        #expect(storage.read(atMost: 2) == nil)
    }

    @Test func `what isn't a file isn't read, and doesn't hold anybody up`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        #expect(storage.read(atMost: .max) == nil)
        // A new text takes its place.
        try storage.replace(with: [1])
        #expect(storage.read(atMost: .max) == [1])
    }

    @Test func `what a crash left beside it is neither written to nor kept`() throws {
        let (left, other) = (path + ".new", folder.file("other"))
        try Data([9]).write(to: URL(filePath: other))
        try FileManager.default.createSymbolicLink(atPath: left, withDestinationPath: other)
        try storage.replace(with: [1])
        #expect(try Data(contentsOf: URL(filePath: other)) == Data([9]))
        #expect(folder.names == ["other", "values"])
        #expect(try folder.permissions("values") == 0o600)
        try Data([8]).write(to: URL(filePath: left))
        try storage.remove()
        #expect(folder.names == ["other"])
    }

    @Test func `what can't be written or removed is said, and leaves nothing beside it`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: path + "/file"))
        for work in [{ try storage.replace(with: [1]) }, { try storage.remove() }] {
            let error = #expect(throws: Rejection.self) { try work() }
            #expect(error?.code == .cacheUnwritable)
            #expect(error?.detail?.hasPrefix("'\(path)': ") == true)
        }
        #expect(folder.names == ["values"])
        let nowhere = FileMirrorStorage(folder.file("none/values"))
        #expect(throws: Rejection.self) { try nowhere.replace(with: [1]) }
        // There is nothing to be removed.
        try nowhere.remove()
    }
}
