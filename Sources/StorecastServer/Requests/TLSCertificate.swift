import StorecastWebSocket

/// A certificate and its key, with which a server encrypts: TLS 1.2 and 1.3.
///
/// ```swift
/// SyncServer(certificate: try TLSCertificate(file: "fullchain.pem", keyFile: "privkey.pem"), …)
/// ```
/// A key for ECDSA (P-256) costs a new connection a tenth of what one for RSA does.
public struct TLSCertificate: Sendable {
    let files: ServerCertificate

    /// Reads the files, which ``SyncServer/reload()`` reads again.
    ///
    /// - Parameters:
    ///   - file: the certificate and those between it and the root, in this order, in PEM.
    ///   - keyFile: its private key in PEM, not encrypted.
    /// - Throws: `ServerError.Code.certificateUnusable` with the file and the reason.
    public init(file: String, keyFile: String) throws(ServerError) {
        do throws(WebSocketError) {
            files = try ServerCertificate(certificateFile: file, keyFile: keyFile)
        } catch {
            throw ServerError(.certificateUnusable, error.description)
        }
    }

    /// How many days it is still good, 0 on the last; below 0 if clients refuse it.
    package var daysLeft: Int { files.daysLeft }

    func reload() throws(ServerError) {
        do throws(WebSocketError) { try files.reload() } catch {
            throw ServerError(.certificateUnusable, error.description)
        }
    }
}
