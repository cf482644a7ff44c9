import Foundation
import StorecastSync
import StorecastTools
import Testing

@testable import StorecastCommand

struct JSONFileTests {
    private func read(_ text: String, longest: Int) throws -> JSON {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "storecast-\(UUID().uuidString).json")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try JSONFile.read(file.path(), longest: longest)
    }

    @Test func `a document counts by its compact text, not by the file`() throws {
        let spaces = String(repeating: " ", count: 2 << 20)
        #expect(try read("[1,\(spaces)2]", longest: 5) == [1, 2])
        let error = #expect(throws: CommandFailure.self) { try read("[1, 23]", longest: 5) }
        #expect(error?.description.contains("6 bytes, and 5 are allowed") == true)
        #expect(error?.description.contains("--document-bytes") == true)
    }

    @Test func `only a file that isn't there is to be made`() throws {
        let folder = FileManager.default.temporaryDirectory.path()
        for (path, isAdvised) in [
            (folder + "/storecast-\(UUID().uuidString).json", true), (folder, false),
        ] {
            let error = #expect(throws: CommandFailure.self) {
                try JSONFile.read(path, longest: 5)
            }
            #expect(error?.description.contains("can't be read: ") == true)
            #expect(error?.description.contains("echo") == isAdvised)
        }
    }

    @Test func `a document may be larger than a message`() throws {
        let text = String(repeating: "x", count: 3 << 20)
        #expect(try read("\"\(text)\"", longest: 4 << 20).string?.utf8.count == 3 << 20)
    }
}
