import CLibWebSockets
import Glibc
import Synchronization

/// What the encrypted connections of a server or client have in common: a certificate and its key,
/// or whom to trust. TLS 1.2 and 1.3 only (RFC 8446, RFC 9325).
///
/// Unchecked `Sendable`: OpenSSL's contexts may be used by many threads, and this one isn't changed
/// once it is made.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    /// For a server.
    ///
    /// - Throws: a sentence about the file that can't be used.
    convenience init(certificateFile: String, keyFile: String) throws(WebSocketError) {
        try self.init(TLS_server_method())
        // For TLS 1.2, what is there in 1.3 anyway: a key that is found out later opens nothing
        // that was said before.
        SSL_CTX_set_cipher_list(pointer, "ECDHE+AESGCM:ECDHE+CHACHA20")
        // Without it, OpenSSL asks the terminal.
        SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in -1 }
        guard SSL_CTX_use_certificate_chain_file(pointer, certificateFile) == 1 else {
            throw Self.failure(
                "The certificate in '\(certificateFile)' can't be used",
                without: "there is no certificate in it, in PEM")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, keyFile, SSL_FILETYPE_PEM) == 1 else {
            throw Self.failure(
                "The key in '\(keyFile)' can't be used",
                without: "there is no private key in it, in PEM")
        }
        guard SSL_CTX_check_private_key(pointer) == 1 else {
            throw Self.failure("The key in '\(keyFile)' isn't the certificate's")
        }
    }

    /// For clients.
    ///
    /// - Parameter file: certificates (PEM) to trust instead of the system's.
    /// - Throws: a sentence about the file that can't be used.
    convenience init(trusting file: String?) throws(WebSocketError) {
        try self.init(TLS_client_method())
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        if let file {
            guard SSL_CTX_load_verify_file(pointer, file) == 1 else {
                throw Self.failure("The certificates in '\(file)' can't be trusted")
            }
        } else if SSL_CTX_set_default_verify_paths(pointer) != 1 {
            throw Self.failure("The system's certificates can't be read")
        }
    }

    private init(_ method: OpaquePointer?) throws(WebSocketError) {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(method) else { throw Self.failure("TLS can't be used") }
        self.pointer = pointer
        guard sc_tls_least_version(pointer) == 1 else { throw Self.failure("TLS can't be used") }
        sc_tls_prepare(pointer)
    }

    deinit { SSL_CTX_free(pointer) }

    /// How many days the certificate is still good, 0 on the last; below 0 if its time is over.
    var daysLeft: Int {
        SSL_CTX_get0_certificate(pointer).map { Self.daysLeft(of: $0) } ?? 0
    }

    static func daysLeft(of certificate: OpaquePointer) -> Int {
        var (days, seconds): (Int32, Int32) = (0, 0)
        ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(certificate))
        // What ends within a day has 0 days; what has ended, fewer.
        return days == 0 && seconds < 0 ? -1 : Int(days)
    }

    /// - Parameter nothing: what it means that OpenSSL finds nothing to read.
    private static func failure(_ what: String, without nothing: String? = nil) -> WebSocketError {
        var reason = TLSError.reason
        switch reason {
        case "no start line", "unsupported": reason = nothing ?? reason
        // What the password's callback leads to.
        case "interrupted or cancelled", "bad password read":
            reason = "it is encrypted with a password, which nobody is there to give"
        default: break
        }
        return WebSocketError(description: "\(what): \(reason).")
    }
}

/// The errors of OpenSSL, which it keeps for each thread.
enum TLSError {
    /// The words for the first of them, which are then forgotten.
    static var reason: String {
        let code = ERR_get_error()
        ERR_clear_error()
        // OpenSSL has no words for the system's errors (ERR_SYSTEM_FLAG in err.h).
        if code & 0x8000_0000 != 0 { return String(cString: strerror(Int32(code & 0x7FFF_FFFF))) }
        guard code != 0, let text = ERR_reason_error_string(code) else { return "no reason given" }
        return String(cString: text)
    }
}

/// The certificate of a server and its key, which can be read again: connections that are open stay
/// as they are, and those that come have the new one.
package final class ServerCertificate: Sendable {
    private let certificateFile: String
    private let keyFile: String
    private let newest: Mutex<TLSContext>

    /// - Parameters:
    ///   - certificateFile: the certificate and those between it and the root, in this order (PEM).
    ///   - keyFile: its key (PEM), which isn't encrypted.
    package init(certificateFile: String, keyFile: String) throws(WebSocketError) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        newest = Mutex(try TLSContext(certificateFile: certificateFile, keyFile: keyFile))
    }

    /// Reads the files again. If that fails, the certificate stays as it is.
    package func reload() throws(WebSocketError) {
        let context = try TLSContext(certificateFile: certificateFile, keyFile: keyFile)
        newest.withLock { $0 = context }
    }

    /// How many days it is still good, 0 on the last; below 0 if clients refuse it.
    package var daysLeft: Int { context.daysLeft }

    var context: TLSContext { newest.withLock { $0 } }
}
