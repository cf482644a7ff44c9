import Foundation

/// A certificate authority of a test, and a server's certificate by it; made with `openssl`.
package final class TestCertificates: Sendable {
    package let directory: TemporaryDirectory

    /// The root, for clients to trust.
    package var root: String { directory.file("root.pem") }
    package var certificate: String { directory.file("server.pem") }
    package var key: String { directory.file("server.key") }

    /// - Parameters:
    ///   - names: for what the certificate is made, as `openssl` writes it.
    ///   - days: how long it is valid; -1 for one that has expired.
    package init(names: String = "DNS:localhost,IP:127.0.0.1", days: Int = 2) throws {
        directory = try TemporaryDirectory()
        let new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -batch"
        try Self.openssl(
            "req -x509 \(new) -keyout root.key -out root.pem -subj /CN=root -days 2", in: directory)
        try issue(names: names, days: days)
    }

    /// Makes the server's certificate and key anew.
    package func issue(names: String = "DNS:localhost,IP:127.0.0.1", days: Int = 2) throws {
        let new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -batch"
        try "subjectAltName=\(names)\n".write(
            toFile: directory.file("names"), atomically: true, encoding: .utf8)
        try Self.openssl(
            "req \(new) -keyout server.key -out request -subj /CN=server", in: directory)
        try Self.openssl(
            "x509 -req -in request -CA root.pem -CAkey root.key -CAcreateserial -out server.pem "
                + "-extfile names -days \(days)", in: directory)
    }

    /// The server's key in a file that a password protects.
    package func encryptedKey() throws -> String {
        try Self.openssl(
            "ec -in server.key -aes256 -passout pass:secret -out encrypted.key", in: directory)
        return directory.file("encrypted.key")
    }

    /// Puts the files of another authority in the place of these, but for the root.
    package func replace(by other: TestCertificates) throws {
        for (source, target) in [(other.certificate, certificate), (other.key, key)] {
            let content = try Data(contentsOf: URL(filePath: source))
            try content.write(to: URL(filePath: target), options: .atomic)
        }
    }

    private static func openssl(_ arguments: String, in directory: TemporaryDirectory) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = URL(filePath: directory.path)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(what: arguments) }
    }

    struct Failure: Error { let what: String }
}

/// `openssl s_client` as a client of another make: sends what it is given, and collects what comes.
package final class OpenSSLClient: Sendable {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()

    /// Connects, and trusts `certificates`.
    package init(port: Int, _ certificates: TestCertificates, _ options: [String] = []) throws {
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments =
            [
                "s_client", "-quiet", "-ign_eof", "-verify_return_error", "-CAfile",
                certificates.root,
            ]
            + ["-connect", "127.0.0.1:\(port)"] + options
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    package func send(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// At most so many bytes that have come.
    package func read(upTo count: Int) throws -> [UInt8] {
        Array(try output.fileHandleForReading.read(upToCount: count) ?? Data())
    }

    /// All that comes until the end.
    package func readToEnd() throws -> [UInt8] {
        Array(try output.fileHandleForReading.readToEnd() ?? Data())
    }

    /// 0 unless the connection couldn't be made.
    package func exitStatus() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}
