import Foundation
import StorecastServer
import StorecastSync
import StorecastTools
import Testing

@testable import StorecastCommand

struct JSONFileTests {
    private func read(
        _ text: String, longest: Int, progress: (Double) -> Void = { _ in }
    ) throws -> JSON {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "storecast-\(UUID().uuidString).json")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try JSONFile.read(file.path(), longest: longest, progress: progress)
    }

    @Test func `a document counts by its compact text, not by the file`() throws {
        let spaces = String(repeating: " ", count: 2 << 20)
        #expect(try read("[1,\(spaces)2]", longest: 5) == [1, 2])
        let error = #expect(throws: CommandFailure.self) { try read("[1, 23]", longest: 5) }
        #expect(error?.description.contains("6 bytes, and 5 are allowed") == true)
        #expect(error?.description.contains("`--document-bytes 12`") == true)
    }

    @Test func `more is never advised than can be served`() throws {
        func error(bytes: Int) -> String? {
            let text = "\"" + String(repeating: "x", count: bytes - 2) + "\""
            return #expect(throws: CommandFailure.self) { try read(text, longest: 5) }?.description
        }
        let most = JSONRoom.mostBytes
        #expect(error(bytes: most)?.contains("`--document-bytes \(most)`") == true)
        #expect(error(bytes: most + 1)?.contains("No more than \(most) can be served.") == true)
    }

    @Test func `a file is read in pieces, and each says how far it is`() throws {
        let chunk = JSONFile.chunkBytes
        var shown: [Double] = []
        let text = "\"" + String(repeating: "x", count: 4 * chunk - 2) + "\""
        #expect(try read(text, longest: 4 * chunk) { shown.append($0) }.encodedSize == 4 * chunk)
        // The last one finds the end.
        #expect(shown == [0.25, 0.5, 0.75, 1, 1])
    }

    @Test func `where a large file is wrong is said by line and column`() throws {
        let lines = String(repeating: "[0],\n", count: 400_000)
        let error = #expect(throws: CommandFailure.self) {
            try read("[\n\(lines)  nul\n]", longest: 4 << 20)
        }
        #expect(error?.description.contains("at line 400002, column 6") == true)
    }

    @Test func `only a file that isn't there is to be made`() throws {
        let folder = FileManager.default.temporaryDirectory.path()
        let missing = folder + "/storecast-\(UUID().uuidString)"
        for (path, words) in [
            (missing + ".json", "`echo '{}' > \(missing).json` makes one."),
            (folder, "\(folder) is a folder. Name a file in it that has a JSON document."),
            ("/", "/ is a folder. Name a file in it that has a JSON document."),
            (missing + "/", "\(missing)/ is a folder. Name a file in it that has a JSON document."),
        ] {
            let error = #expect(throws: CommandFailure.self) {
                // As a progress bar does that asks for a terminal.
                try JSONFile.read(path, longest: 5) { _ in errno = ENOTTY }
            }
            #expect(error?.description.hasSuffix(words) == true, "\(error?.description ?? "")")
        }
    }

    @Test func `a document may be larger than a message`() throws {
        let text = String(repeating: "x", count: 3 << 20)
        #expect(try read("\"\(text)\"", longest: 4 << 20).string?.utf8.count == 3 << 20)
    }
}
