import Foundation
import StorecastWebSocket
import TestSupport
import Testing

struct GzipTests {
    /// What Debian's own program makes of it again.
    private func restored(_ bytes: [UInt8]) throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        try Data(bytes).write(to: URL(filePath: directory.file("text.gz")))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/gzip")
        process.arguments = ["-d", directory.file("text.gz")]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return Array(try Data(contentsOf: URL(filePath: directory.file("text"))))
    }

    @Test(arguments: [256, 1000, 65_536, 3_000_000])
    func `a text becomes shorter, and the same again`(count: Int) throws {
        let text = (0..<count).map { UInt8(ascii: "a") + UInt8($0 * $0 % 7) }
        let compressed = try #require(Gzip.compress(text))
        #expect(compressed.count < count * 15 / 16)
        #expect(try restored(compressed) == text)
        #expect(Gzip.compress(text) == compressed)
    }

    @Test func `what is short, or doesn't become shorter, stays as it is`() {
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<10_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #expect(Gzip.compress(noise) == nil)
        #expect(Gzip.compress([]) == nil)
        #expect(Gzip.compress(Array(repeating: 0, count: 255)) == nil)
    }
}
