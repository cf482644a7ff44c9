import Foundation
import Glibc
import Synchronization

/// A server that introduces itself as NATS does, and says to each connection what a test wants.
final class ScriptedNATS: Sendable {
    /// What a connection is told.
    struct Script {
        /// The most bytes of a message.
        var mostBytes: Int
        /// What it may not listen to; it hears of it when it tries.
        var forbidden: String?
        /// Another server that it tells of.
        var other: String?
        /// Whether it wants the connection to be encrypted, and ends it when that begins.
        var encrypts = false
        /// What comes last.
        var rest = ""
    }

    /// The connection that is open.
    private final class Current: Sendable {
        let connection = Mutex<(descriptor: Int32, rest: String)?>(nil)
    }

    let port: Int
    private let descriptor: Int32
    private let current = Current()

    /// - Parameter scripts: for one connection after the other; no more are taken.
    init(_ scripts: [Script]) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 4) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [current] in
            for script in scripts {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                current.connection.withLock { $0 = (client, script.rest) }
                Self.serve(client, script)
                current.connection.withLock { $0 = nil }
                close(client)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Ends the connection that is open.
    func hangUp() {
        current.connection.withLock { connection in
            guard let connection else { return }
            Self.say(connection.rest, to: connection.descriptor)
            shutdown(connection.descriptor, Int32(SHUT_RDWR))
        }
    }

    private static func serve(_ client: Int32, _ script: Script) {
        let information =
            #"{"server_name":"n","version":"2.11.0","headers":true,"max_payload":"#
            + "\(script.mostBytes),\"tls_required\":\(script.encrypts),"
            + #""connect_urls":[\#(script.other.map { #""\#($0)""# } ?? "")]}"#
        say("INFO \(information)\r\n", to: client)
        // What it waits for to say something, each once.
        var answers = [("PING\r\n", "PONG\r\n")]
        if let subject = script.forbidden {
            answers.append(
                (
                    "SUB \(subject) ",
                    "-ERR 'Permissions Violation for Subscription to \"\(subject)\"'\r\n"
                ))
        }
        var heard = ""
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(client, &chunk, chunk.count, 0)
            guard count > 0, !script.encrypts else { return }
            heard += String(decoding: chunk[..<count], as: UTF8.self)
            for (text, answer) in answers where heard.contains(text) { say(answer, to: client) }
            answers.removeAll { heard.contains($0.0) }
        }
    }

    private static func say(_ text: String, to client: Int32) {
        let bytes = Array(text.utf8)
        _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
