import JWTKit
import StorecastSync
import StorecastWire

/// Says whose a JSON Web Token is, or why it isn't taken.
struct JWTVerifier: Sendable {
    let keys: JWTKeys
    let issuer: String?
    let audience: String?
    let leeway: Duration
    let identity: @Sendable (JSON) throws -> Identity

    /// Whose the token is at this time of day.
    func identity(token: String?, at now: Timestamp) async throws -> Identity {
        guard let token else { throw Self.refusal("There is none.") }
        let claims = try await claims(of: SignedToken(token))
        let expires = try validity(of: claims, at: now)
        var identity = try identity(claims)
        identity.expires = expires
        return identity
    }

    /// What the token says, if one of the keys has signed it.
    private func claims(of token: SignedToken) async throws -> JSON {
        guard let key = try await keys.ring.key(token.key, for: token.algorithm) else {
            throw Self.refusal("No key fits it.")
        }
        // The error of a signature that is no signature says no more.
        guard (try? key.verify(token.signature, signs: token.signed)) == true else {
            throw Self.refusal("Its signature doesn't fit.")
        }
        guard let claims = SignedToken.object(token.payload) else {
            throw Self.refusal("Its claims aren't an object.")
        }
        return claims
    }

    /// Until when the claims are valid; throws if they aren't now (RFC 7519, section 4.1).
    private func validity(of claims: JSON, at now: Timestamp) throws(Rejection) -> Timestamp {
        let (seconds, leeway) = (now.secondsSince1970, leeway / .seconds(1))
        if let issuer, claims["iss"]?.string?.isSameText(as: issuer) != true {
            throw Self.refusal("It is another issuer's.")
        }
        if let audience {
            let all = claims["aud"]?.array ?? claims["aud"].map { [$0] } ?? []
            guard all.contains(where: { $0.string?.isSameText(as: audience) ?? false }) else {
                throw Self.refusal("It is for another audience.")
            }
        }
        if let start = claims["nbf"] {
            guard let start = start.double, start - leeway <= seconds else {
                throw Self.refusal("It isn't valid yet.")
            }
        }
        guard let end = claims["exp"]?.double else { throw Self.refusal("It has no end.") }
        guard seconds < end + leeway else {
            throw Rejection(.unauthenticated, "The token has expired.")
        }
        return Timestamp(secondsSince1970: end + leeway)
    }

    /// `sub`, and the roles of a claim.
    static func identity(_ claims: JSON, roles claim: String) throws(Rejection) -> Identity {
        guard let id = claims["sub"]?.string, !id.isEmpty else {
            throw refusal("It says of nobody who it is.")
        }
        var identity = Identity(id)
        switch claims[claim] {
        case nil: break
        case .string(let words): identity.roles = Set(words.split(separator: " ").map(String.init))
        case .array(let words):
            let texts = words.compactMap(\.string)
            guard texts.count == words.count else { throw refusal("Its roles aren't texts.") }
            identity.roles = Set(texts)
        default: throw refusal("Its roles aren't texts.")
        }
        return identity
    }

    static func refusal(_ detail: String) -> Rejection {
        Rejection(.unauthenticated, "The token isn't valid here.", detail: detail)
    }
}

/// A token in three parts (RFC 7515, section 3.1), of which nothing is believed yet.
struct SignedToken {
    let algorithm: KeySet.Algorithm
    /// The name of its key.
    let key: String?
    /// What the signature is for.
    let signed: [UInt8]
    let payload: [UInt8]
    let signature: [UInt8]

    init(_ text: String) throws(Rejection) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.bytes(of: parts[0]),
            let payload = Base64URL.bytes(of: parts[1]),
            let signature = Base64URL.bytes(of: parts[2]), let header = Self.object(head)
        else { throw JWTVerifier.refusal("It isn't a signed token.") }
        // Extensions that have to be understood; none is (RFC 7515, section 4.1.11).
        guard header["crit"] == nil else {
            throw JWTVerifier.refusal("It has extensions that aren't known here.")
        }
        guard let algorithm = header["alg"]?.string.flatMap(KeySet.Algorithm.init) else {
            throw JWTVerifier.refusal("It isn't signed with HS256, RS256 or ES256.")
        }
        guard header["kid"].map({ $0.string != nil }) ?? true else {
            throw JWTVerifier.refusal("Its key has no name.")
        }
        self.algorithm = algorithm
        key = header["kid"]?.string
        signed = Array(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
        self.payload = payload
        self.signature = signature
    }

    /// The object in JSON text, in which no member comes twice (RFC 8725, section 3.10).
    static func object(_ text: [UInt8]) -> JSON? {
        guard let document = try? JSONDocument(text), document.root.isObject else { return nil }
        return document.root.json
    }
}

/// Base 64 for URLs, without padding (RFC 7515, section 2).
enum Base64URL {
    /// Nil unless it is what an encoder writes: no other letters, and no bits left over.
    static func bytes(of text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var (bits, count) = (UInt32(0), 0)
        for letter in text {
            guard let value = value(of: letter) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
                bits &= (1 << UInt32(count)) - 1
            }
        }
        return count < 6 && bits == 0 ? bytes : nil
    }

    private static func value(of letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
