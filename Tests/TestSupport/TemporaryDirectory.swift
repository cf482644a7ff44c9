import Foundation

/// A directory that is removed, with all that is in it, together with this object.
package final class TemporaryDirectory: Sendable {
    private let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "storecast-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var path: String { url.path }

    /// The path of a file in it.
    package func file(_ name: String) -> String { url.appending(path: name).path }

    /// The names of the files in it, sorted.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// The permissions of a file, as `chmod` takes them.
    package func permissions(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
        return attributes[.posixPermissions] as? Int ?? 0
    }
}
