import Foundation
@testable import StorecastTools
import Testing
import TestSupport

struct LineReaderTests {
    /// Lines that are longer than what is read at a time, too.
    @Test(arguments: [
        "", "a", "a\nb", "a\nb\n", "a\r\n\nb\r\n", "\n",
        String(repeating: "x", count: 3 << 20) + "\n" + String(repeating: "y", count: 1 << 20),
    ])
    func `lines come without their ends, and counted`(_ text: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("text")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let reader = try LineReader(path)
        var lines: [String] = []
        while let line = try reader.next() {
            lines.append(String(decoding: line, as: UTF8.self))
            #expect(reader.number == lines.count)
        }
        var expected = text.replacing("\r\n", with: "\n").split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
        if expected.last == "" { expected.removeLast() }
        #expect(lines == expected)
    }

    @Test func `a file that isn't there is told`() {
        #expect(throws: CommandFailure.self) { try LineReader("/nowhere/at/all") }
    }
}
