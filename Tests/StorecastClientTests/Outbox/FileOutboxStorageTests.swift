import Dispatch
import Foundation
import StorecastSync
import Synchronization
import TestSupport
import Testing

@testable import StorecastClient

struct FileOutboxStorageTests {
    private let folder: TemporaryDirectory
    private let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.file("outbox")
    }

    private func code(_ path: String) -> Rejection.Code? {
        do throws(Rejection) {
            _ = try FileOutboxStorage(path)
            return nil
        } catch {
            #expect(error.detail?.contains(path) == true)
            return error.code
        }
    }

    @Test func `what was written is there for the next`() throws {
        do {
            let storage = try FileOutboxStorage(path)
            try storage.append(Array("one".utf8))
        }
        let next = try FileOutboxStorage(path)
        #expect(try next.read() == Array("one".utf8))
        try next.append(Array("two".utf8))
        #expect(try next.read() == Array("onetwo".utf8))
    }

    @Test func `only its owner can read it, also after it was replaced`() throws {
        let storage = try FileOutboxStorage(path)
        #expect(try folder.permissions("outbox") == 0o600)
        try storage.replace(with: [1])
        #expect(try folder.permissions("outbox") == 0o600)
        #expect(folder.names == ["outbox"])
    }

    @Test func `a second one is refused as long as the first is there`() throws {
        var first: FileOutboxStorage? = try FileOutboxStorage(path)
        #expect(code(path) == .outboxLocked)
        try first?.replace(with: Array("new".utf8))
        #expect(code(path) == .outboxLocked)
        first = nil
        #expect(code(path) == nil)
    }

    @Test func `what is let go of is others', and goes on when it comes back as it was`() throws {
        let first = try FileOutboxStorage(path)
        try first.append(Array("one".utf8))
        try first.sync()
        first.release()
        #expect(code(path) == nil)
        try first.reclaim()
        #expect(code(path) == .outboxLocked)
        try first.append(Array("two".utf8))
        #expect(try first.read() == Array("onetwo".utf8))
    }

    /// As another process has that this one is just starting.
    @Test func `what is let go of is others' though somebody still has its descriptor`() throws {
        let first = try FileOutboxStorage(path)
        var file = stat()
        stat(path, &file)
        let its = (3..<4096 as Range<Int32>).filter { descriptor in
            var found = stat()
            return fstat(descriptor, &found) == 0 && found.st_ino == file.st_ino
                && found.st_dev == file.st_dev
        }
        let copies = its.map { dup($0) }
        #expect(copies.count == 1)
        first.release()
        #expect(code(path) == nil)
        for copy in copies { close(copy) }
    }

    @Test func `what others have, or have changed, doesn't come back`() throws {
        let first = try FileOutboxStorage(path)
        try first.append(Array("one".utf8))
        first.release()
        do {
            let second = try FileOutboxStorage(path)
            #expect(throws: Rejection.self) { try first.reclaim() }
            _ = try second.read()
            try second.append(Array("two".utf8))
        }
        #expect(throws: Rejection.self) { try first.reclaim() }
        #expect(code(path) == nil)
    }

    /// By the second time the number may be that of another thread's file.
    @Test func `one that is refused closes its descriptor once`() throws {
        let first = try FileOutboxStorage(path)
        let lost = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 2) { part in
            for _ in 0..<5000 {
                if part == 0 {
                    #expect(throws: Rejection.self) { try FileOutboxStorage(path) }
                } else {
                    for _ in 0..<10 where close(open("/dev/null", O_RDONLY)) != 0 {
                        lost.add(1, ordering: .relaxed)
                    }
                }
            }
        }
        #expect(lost.load(ordering: .relaxed) == 0)
        withExtendedLifetime(first) {}
    }

    /// Who opened the file in front of its replacement, and locked it behind that, would have a
    /// text that nobody else sees.
    @Test func `whoever opens it while it is replaced has what took its place, alone`() throws {
        var first: FileOutboxStorage? = try FileOutboxStorage(path)
        try first?.append(Array("old".utf8))
        let second = try FileOutboxStorage(path) {
            try? first?.replace(with: Array("new".utf8))
            first = nil
        }
        #expect(try second.read() == Array("new".utf8))
        #expect(code(path) == .outboxLocked)
    }

    @Test func `what a crash left beside it is written over`() throws {
        try FileOutboxStorage(path + ".new").append(Array("a longer text".utf8))
        let storage = try FileOutboxStorage(path)
        try storage.replace(with: Array("short".utf8))
        #expect(try storage.read() == Array("short".utf8))
        #expect(folder.names == ["outbox"])
    }

    @Test func `a place where nothing can be written says so`() {
        #expect(code(folder.file("missing/outbox")) == .outboxUnwritable)
        #expect(code(folder.path) == .outboxUnwritable)
    }

    @Test func `a replacement that fails leaves the old text`() throws {
        let storage = try FileOutboxStorage(path)
        try storage.append(Array("old".utf8))
        // Somebody holds what would take its place.
        let obstacle = try FileOutboxStorage(path + ".new")
        #expect(throws: Rejection.self) { try storage.replace(with: Array("new".utf8)) }
        #expect(try storage.read() == Array("old".utf8))
        withExtendedLifetime(obstacle) {}
    }

    @Test func `a replacement that fails at its last step can be tried again`() throws {
        let storage = try FileOutboxStorage(path)
        // What isn't a file can't be replaced by one.
        try #require(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        #expect(throws: Rejection.self) { try storage.replace(with: Array("lost".utf8)) }
        try #require(rmdir(path) == 0)
        try storage.replace(with: Array("new".utf8))
        #expect(try storage.read() == Array("new".utf8))
        #expect(folder.names == ["outbox"])
    }
}
