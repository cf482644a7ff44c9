"""Makes tokens.json: JSON Web Tokens by PyJWT and by hand, with keys that are forgotten.

    pip install pyjwt cryptography
    python make.py > tokens.json
"""

import base64, hashlib, hmac, json, secrets
import jwt
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

now = 2_000_000_000
secret = secrets.token_bytes(32)
rs, other_rs = (rsa.generate_private_key(65537, 2048) for _ in range(2))
es, other_es = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value, size):
    return b64(value.to_bytes(size, "big"))


def jwk_rsa(key, kid, **more):
    public = key.public_key().public_numbers()
    modulus = number(public.n, (public.n.bit_length() + 7) // 8)
    return {"kty": "RSA", "kid": kid, "n": modulus, "e": number(public.e, 3), **more}


def jwk_ec(key, kid, **more):
    public = key.public_key().public_numbers()
    return {
        "kty": "EC", "crv": "P-256", "kid": kid,
        "x": number(public.x, 32), "y": number(public.y, 32), **more,
    }


keys = {
    "keys": [
        {"kty": "oct", "kid": "h", "k": b64(secret), "alg": "HS256"},
        jwk_rsa(rs, "r", alg="RS256", use="sig"),
        jwk_ec(es, "e", use="sig", key_ops=["verify"]),
        # Passed over: for encryption, of another kind, another curve, another algorithm.
        jwk_rsa(other_rs, "r-enc", use="enc"),
        jwk_rsa(other_rs, "r-384", alg="RS384"),
        {"kty": "OKP", "crv": "Ed25519", "kid": "o", "x": b64(secrets.token_bytes(32))},
        {"kty": "EC", "crv": "P-384", "kid": "e-384", "x": "AA", "y": "AA"},
        {"kty": "later", "kid": "l"},
        jwk_ec(other_es, "e-sign", key_ops=["encrypt"]),
    ]
}
good = {
    "iss": "https://login.test/", "aud": "board", "sub": "ada", "exp": now + 600,
    "nbf": now - 600, "iat": now - 600, "roles": ["editor", "owner"],
}
private = {"HS256": (secret, "h"), "RS256": (rs, "r"), "ES256": (es, "e")}
cases = []


def case(name, token, error=None, **expected):
    cases.append({"name": name, "token": token, **({"error": error} if error else expected)})


def token(alg="ES256", kid=True, key=None, headers=None, drop=(), **claims):
    own, own_kid = private.get(alg, (None, None))
    content = {k: v for k, v in {**good, **claims}.items() if k not in drop}
    head = {**({"kid": own_kid} if kid is True else {"kid": kid} if kid else {}), **(headers or {})}
    return jwt.encode(content, key or own, algorithm=alg, headers=head)


def by_hand(header, payload, sign):
    if not isinstance(header, bytes):
        header = json.dumps(header).encode()
    if not isinstance(payload, bytes):
        payload = json.dumps(payload).encode()
    signed = f"{b64(header)}.{b64(payload)}"
    return f"{signed}.{b64(sign(signed.encode()))}"


def hs(key):
    return lambda signed: hmac.new(key, signed, hashlib.sha256).digest()


def rs256(signed):
    return rs.sign(signed, padding.PKCS1v15(), hashes.SHA256())


def es256_der(signed):
    return es.sign(signed, ec.ECDSA(hashes.SHA256()))


def es256(signed):
    r, s = utils.decode_dss_signature(es256_der(signed))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


ada = {"id": "ada", "roles": ["editor", "owner"], "expires": now + 600}
for alg in private:
    case(f"{alg}, which names its key", token(alg), **ada)
    case(f"{alg}, which names no key: there is one", token(alg, kid=False), **ada)
case("an audience among others", token(aud=["chat", "board"]), **ada)
case("roles in one text", token(roles="editor owner"), **ada)
case("no roles", token(drop=["roles"]), **{**ada, "roles": []})
case("times with fractions", token(exp=now + 0.5, nbf=now - 0.5), **{**ada, "expires": now + 0.5})
case("over, within the leeway", token(exp=now - 29), **{**ada, "expires": now - 29})
case("not yet, within the leeway", token(nbf=now + 30), **ada)
case("no beginning", token(drop=["nbf"]), **ada)
case("a header that says more", token(headers={"typ": "at+jwt", "x": {"y": 1}}), **ada)

signature = "Its signature doesn't fit."
no_key = "No key fits it."
form = "It isn't a signed token."
alg_error = "It isn't signed with HS256, RS256 or ES256."
case("over", token(exp=now - 30), "expired")
case("over for long", token(exp=1), "expired")
case("not yet", token(nbf=now + 31), "It isn't valid yet.")
case("a beginning that is no number", by_hand({"alg": "HS256", "kid": "h"}, {**good, "nbf": "x"}, hs(secret)), "It isn't valid yet.")
case("no end", token(drop=["exp"]), "It has no end.")
case("an end in a text", by_hand({"alg": "HS256", "kid": "h"}, {**good, "exp": str(now + 600)}, hs(secret)), "It has no end.")
case("another issuer", token(iss="https://login.test"), "It is another issuer's.")
case("no issuer", token(drop=["iss"]), "It is another issuer's.")
case("another audience", token(aud="boards"), "It is for another audience.")
case("other audiences", token(aud=["chat", "boards"]), "It is for another audience.")
case("no audience", token(drop=["aud"]), "It is for another audience.")
case("nobody", token(drop=["sub"]), "It says of nobody who it is.")
case("an empty name", token(sub=""), "It says of nobody who it is.")
case("roles that are numbers", token(roles=[1]), "Its roles aren't texts.")
case("roles in an object", token(roles={"a": 1}), "Its roles aren't texts.")

for name in ["none", "None", "NONE", ""]:
    case(f"alg '{name}', unsigned", by_hand({"alg": name, "kid": "e"}, good, lambda _: b""), alg_error)
case("alg left out", by_hand({"kid": "e"}, good, es256), alg_error)
case("alg that is a number", by_hand({"alg": 256, "kid": "e"}, good, es256), alg_error)
case("HS512", jwt.encode(good, secret + secret, algorithm="HS512", headers={"kid": "h"}), alg_error)
case("RS384 by the key of RS256", jwt.encode(good, rs, algorithm="RS384", headers={"kid": "r"}), alg_error)
case("PS256 by the key of RS256", jwt.encode(good, rs, algorithm="PS256", headers={"kid": "r"}), alg_error)

public = rs.public_key()
encodings = serialization.Encoding, serialization.PublicFormat
for what, secret_of in {
    "PEM": public.public_bytes(encodings[0].PEM, encodings[1].SubjectPublicKeyInfo),
    "DER": public.public_bytes(encodings[0].DER, encodings[1].SubjectPublicKeyInfo),
    "modulus": base64.urlsafe_b64decode(keys["keys"][1]["n"] + "=="),
    "modulus's text": keys["keys"][1]["n"].encode(),
}.items():
    case(f"the public key's {what} as a secret, by its name", by_hand({"alg": "HS256", "kid": "r"}, good, hs(secret_of)), no_key)
    case(f"the public key's {what} as a secret", by_hand({"alg": "HS256", "kid": "h"}, good, hs(secret_of)), signature)
case("ES256 in the name of RS256's key", token(kid="r"), no_key)
case("RS256 in the name of ES256's key", token("RS256", kid="e"), no_key)
case("the name of no key", token(kid="nobody"), no_key)
case("a name that looks like a key's", token(kid="e\u200b"), no_key)
for kid in ["r-enc", "r-384", "o", "e-384", "l"]:
    case(f"the name of a key for something else, {kid}", token("RS256", kid=kid, key=other_rs), no_key)
case("the name of a key that doesn't verify", token(kid="e-sign", key=other_es), no_key)
case("a name that is a number", by_hand({"alg": "ES256", "kid": 1}, good, es256), "Its key has no name.")
case("another's ES256", token(key=other_es), signature)
case("another's RS256", token("RS256", key=other_rs), signature)
case("another's HS256", token("HS256", key=secrets.token_bytes(32)), signature)
case("an own key in the header", token(key=other_es, headers={"jwk": jwk_ec(other_es, "e")}), signature)
case("an address of keys in the header", token(key=other_es, headers={"jku": "https://evil.test/"}), signature)
case("ES256 in DER", by_hand({"alg": "ES256", "kid": "e"}, good, es256_der), signature)
case("ES256 of zeros", by_hand({"alg": "ES256", "kid": "e"}, good, lambda _: bytes(64)), signature)
case("an empty signature", by_hand({"alg": "ES256", "kid": "e"}, good, lambda _: b""), signature)
case("an empty signature, RS256", by_hand({"alg": "RS256", "kid": "r"}, good, lambda _: b""), signature)
case("an empty signature, HS256", by_hand({"alg": "HS256", "kid": "h"}, good, lambda _: b""), signature)
case("half a signature, HS256", by_hand({"alg": "HS256", "kid": "h"}, good, lambda s: hs(secret)(s)[:16]), signature)
head, body, sign = token().split(".")
other = token(sub="eve").split(".")
case("the claims of another token", ".".join([head, other[1], sign]), signature)
case("extensions that have to be understood", by_hand({"alg": "ES256", "kid": "e", "crit": ["exp"], "exp": now}, good, es256), "It has extensions that aren't known here.")
case("an empty list of such extensions", by_hand({"alg": "ES256", "kid": "e", "crit": []}, good, es256), "It has extensions that aren't known here.")

for name, text in {
    "empty": "", "no parts": "ada", "two parts": f"{head}.{body}", "four parts": f"{head}.{body}.{sign}.",
    "five parts": "a.b.c.d.e", "padding": f"{head}.{body}.{sign}==", "other letters": f"{head}.{body}.{sign[:-2]}+/",
    "a space": f"{head}. {body}.{sign}", "a line feed behind": f"{head}.{body}.{sign}\n",
    "one letter left over": f"{head}A.{body}.{sign}" if len(head) % 4 == 0 else f"{head}.{body}.{'A' * 85}",
}.items():
    case(f"a form that isn't one: {name}", text, form)
last = sign[-1]
letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
case("a signature with bits left over", f"{head}.{body}.{sign[:-1]}{letters[letters.index(last) | 1]}", form)
case("a header that is no object", by_hand([], good, es256), form)
case("a header that is no JSON", by_hand(b"{", good, es256), form)
case("a header with alg twice", by_hand(b'{"alg":"ES256","alg":"none","kid":"e"}', good, es256), form)
claims_form = "Its claims aren't an object."
case("claims with sub twice", by_hand({"alg": "ES256", "kid": "e"}, json.dumps(good).encode()[:-1] + b',"sub":"eve"}', es256), claims_form)
case("claims that are no object", by_hand({"alg": "ES256", "kid": "e"}, b"[]", es256), claims_form)
case("claims that are no JSON", by_hand({"alg": "RS256", "kid": "r"}, b"hello", rs256), claims_form)

print(json.dumps({"now": now, "keys": keys, "cases": cases}, indent=1, ensure_ascii=True))
