import Dispatch
import JWTKit
@testable import StorecastJWT
import StorecastServer
import StorecastSync
import Synchronization

/// JSON Web Tokens, and sets of keys.
///
/// An input is a token, or a set of keys; or, with a line feed in it, the header and the claims of a
/// token that is then signed.
func fuzzJWT(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    wait { _ = try? await KeySet(bytes) }
    if let text = String(validating: bytes, as: UTF8.self) {
        precondition(wait { await identity(of: text) } == nil, "what nobody signed is refused")
    }
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return }
    let parts = [bytes[..<end], bytes[(end + 1)...]].map { base64URL($0) }
    let signed = parts.joined(separator: ".")
    guard let signature = try? signer.sign(Array(signed.utf8)) else {
        preconditionFailure("a secret signs everything")
    }
    guard let owner = wait({ await identity(of: signed + "." + base64URL(signature[...])) }) else {
        return
    }
    precondition(owner.id != Identity.anonymous.id, "a token is somebody's")
    guard let expiry = owner.expires else { preconditionFailure("a token ends") }
    precondition(now < expiry, "and hasn't ended")
    var other = signature
    other[other.count / 2] ^= 1
    let forged = signed + "." + base64URL(other[...])
    precondition(wait { await identity(of: forged) } == nil, "one bit makes it another's")
}

private let now = Timestamp(secondsSince1970: 1_700_000_000)
private let keys = wait { await KeySet(secret: Array(1...32)) }
private let signer: any JWTAlgorithm = {
    guard let key = keys.key(nil, for: .hs256) else { preconditionFailure("There is one key.") }
    return key
}()
private let verifier = JWTVerifier(
    keys: JWTKeys(ring: KeyRing(keys) { nil }), issuer: "i", audience: "a", leeway: .seconds(30)
) { try JWTVerifier.identity($0, roles: "roles") }

private func identity(of token: String) async -> Identity? {
    try? await verifier.identity(token: token, at: now)
}

private func base64URL(_ bytes: ArraySlice<UInt8>) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    var (bits, count) = (0, 0)
    for byte in bytes {
        (bits, count) = (bits << 8 | Int(byte), count + 8)
        while count >= 6 {
            count -= 6
            text.append(letters[bits >> count & 63])
        }
        bits &= 0xff
    }
    if count > 0 { text.append(letters[bits << (6 - count) & 63]) }
    return String(decoding: text, as: UTF8.self)
}

/// Blocks until the work is done: libFuzzer's entry isn't `async`.
private func wait<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Result {
    let (done, box) = (DispatchSemaphore(value: 0), Box<Result>())
    Task {
        let result = await work()
        box.result.withLock { $0 = result }
        done.signal()
    }
    done.wait()
    guard let result = box.result.withLock({ $0 }) else { preconditionFailure("The work is done.") }
    return result
}

private final class Box<Result: Sendable>: Sendable {
    let result = Mutex<Result?>(nil)
}
