import StorecastMirror
import StorecastSync
import Testing
import TestSupport

@testable import StorecastClient

/// What every storage of outboxes must do.
struct OutboxStorageTests {
    enum Kind: CaseIterable { case memory, file }

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func open(_ kind: Kind, _ text: [UInt8] = []) throws -> any OutboxStorage {
        switch kind {
        case .memory: MemoryOutboxStorage(text)
        case .file: try FileOutboxStorage(folder.file("outbox"))
        }
    }

    private func text(_ storage: any OutboxStorage) throws -> String {
        String(decoding: try storage.read(), as: UTF8.self)
    }

    @Test(arguments: Kind.allCases)
    func `it is empty at first`(_ kind: Kind) throws {
        #expect(try open(kind).read().isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `what is appended comes behind what is there`(_ kind: Kind) throws {
        let storage = try open(kind)
        try storage.append(Array("one ".utf8))
        try storage.append(Array("two ".utf8))
        try storage.sync()
        try storage.append(Array("three".utf8))
        #expect(try text(storage) == "one two three")
    }

    @Test(arguments: Kind.allCases)
    func `a new text takes the place of the old one, and goes on`(_ kind: Kind) throws {
        let storage = try open(kind)
        try storage.append(Array("a long old text".utf8))
        try storage.replace(with: Array("new".utf8))
        #expect(try text(storage) == "new")
        try storage.append(Array(" and more".utf8))
        try storage.sync()
        #expect(try text(storage) == "new and more")
    }

    @Test(arguments: Kind.allCases)
    func `reading doesn't change where it goes on`(_ kind: Kind) throws {
        let storage = try open(kind)
        let long = String(repeating: "0123456789", count: 20_000)
        try storage.append(Array(long.utf8))
        #expect(try text(storage) == long)
        try storage.append(Array("!".utf8))
        #expect(try text(storage) == long + "!")
    }
}
