import StorecastPlatform

/// A small file that a server goes by: of tokens, or of keys.
package enum ServerFile {
    /// Why it can't be read, in words that go behind "can't be read:".
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    /// All of it. Throws if there are more bytes than `most`.
    package static func contents(of path: String, atMost most: Int) throws(Problem) -> [UInt8] {
        // Opening a pipe would wait for somebody who writes to it.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemProblem }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw systemProblem
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= most else {
                let size = most < 1 << 20 ? "\(most >> 10) KiB" : "\(most >> 20) MiB"
                throw Problem(description: "it has more than \(size)")
            }
        }
    }

    /// The secret in a file: all of it but for white space around it.
    package static func secret(in path: String, atMost most: Int) throws(Problem) -> String {
        let bytes = try contents(of: path, atMost: most)
        let isSpace = { (byte: UInt8) in byte <= 0x20 }
        let content = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard let text = String(validating: Array(content), as: UTF8.self), !text.isEmpty else {
            throw Problem(description: "it is empty, or isn't UTF-8")
        }
        return text
    }

    private static var systemProblem: Problem {
        Problem(description: String(cString: strerror(errno)))
    }
}
