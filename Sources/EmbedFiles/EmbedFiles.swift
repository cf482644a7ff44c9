import Foundation
import PackagePlugin

/// Makes the files of `Clients/Web` that browsers load a part of its code: what pages are made of,
/// and of scripts the bundles, which have all modules of a page in one, and the service worker.
@main
struct EmbedFiles: BuildToolPlugin {
    private static let extensions: Set = ["html", "css", "svg", "webmanifest"]
    private static let bundles = ["board.js", "devtools.js", "document.js", "storecast.min.js"]
        .map { "bundles/" + $0 }

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL
        let found = FileManager.default.enumerator(atPath: folder.path) ?? .init()
        let files = found.compactMap { $0 as? String }.filter {
            Self.extensions.contains(URL(filePath: $0).pathExtension) && !$0.hasPrefix("examples/")
        }
        let lacking = Self.bundles.filter {
            !FileManager.default.fileExists(atPath: folder.appending(path: $0).path)
        }
        guard lacking.isEmpty else {
            Diagnostics.error(
                """
                Clients/Web lacks \(lacking.joined(separator: ", ")), which browsers load. They are \
                made of the modules there, with node and Debian's esbuild, by: .ci/bundles --write
                """)
            return []
        }
        let paths = (files + Self.bundles + ["worker/serviceWorker.js"]).sorted()
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(paths.count) files",
                executable: try context.tool(named: "EmbedFilesTool").url,
                arguments: [output.path, folder.path] + paths,
                inputFiles: paths.map { folder.appending(path: $0) }, outputFiles: [output])
        ]
    }
}
