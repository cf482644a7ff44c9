// Writes a Swift file that holds text files: `EmbedFilesTool OUTPUT FOLDER PATH …`.
import Foundation

let (output, folder) = (CommandLine.arguments[1], CommandLine.arguments[2])
var code = "/// The files, by their paths in the folder.\n"
code += "let embeddedFiles: [String: StaticString] = [\n"
for path in CommandLine.arguments.dropFirst(3) {
    let text = try String(contentsOfFile: folder + "/" + path, encoding: .utf8)
    // More of them than any text of the folder has behind quotes.
    let mark = String(repeating: "#", count: 8)
    code += "    \(mark)\"\(path)\"\(mark): \(mark)\"\"\"\n\(text)\n\"\"\"\(mark),\n"
}
try (code + "]\n").write(toFile: output, atomically: true, encoding: .utf8)
