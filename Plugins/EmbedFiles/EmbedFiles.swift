import Foundation
import PackagePlugin

/// Makes the files of a target's folder that browsers load a part of its code.
@main
struct EmbedFiles: BuildToolPlugin {
    private static let extensions: Set = ["html", "js", "css", "svg"]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL
        let found = FileManager.default.enumerator(atPath: folder.path) ?? .init()
        let paths = found.compactMap { $0 as? String }.filter {
            Self.extensions.contains(URL(filePath: $0).pathExtension)
        }.sorted()
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
