import CLibWebSockets
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
            throw Self.failure("The certificate in '\(certificateFile)' can't be used")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, keyFile, SSL_FILETYPE_PEM) == 1 else {
            throw Self.failure("The key in '\(keyFile)' can't be used")
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

    /// Whether the certificate's time is over.
    var hasExpired: Bool {
        guard let certificate = SSL_CTX_get0_certificate(pointer) else { return false }
        return X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0
    }

    private static func failure(_ what: String) -> WebSocketError {
        WebSocketError(description: "\(what): \(TLSError.reason).")
    }
}

/// The errors of OpenSSL, which it keeps for each thread.
enum TLSError {
    /// The words for the first of them, which are then forgotten.
    static var reason: String {
        let code = ERR_get_error()
        ERR_clear_error()
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

    /// Whether clients will refuse it, as its time is over.
    package var hasExpired: Bool { context.hasExpired }

    var context: TLSContext { newest.withLock { $0 } }
}
