import Foundation

/// A directory that is gone with this object.
final class TemporaryDirectory: Sendable {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "storecast-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> String { url.appending(path: name).path }
}
