/// The types of Foundation whose own `Codable` writes JSON that nobody expects: arrays of bytes,
/// `{"relative":…}`, `{"mantissa":…}`. Here they are written as strings; their own form is read
/// too, as journals hold it.
///
/// Found by name, so that this module doesn't import Foundation.
enum FoundationType {
    case data, url, decimal

    private static let types = (
        data: type("4DataV"), url: type("3URLV"), decimal: type("7DecimalV")
    )

    private static func type(_ name: String) -> Any.Type? {
        // Where Apple's systems have it, and where Swift's own Foundation does.
        _typeByName("10Foundation" + name) ?? _typeByName("20FoundationEssentials" + name)
    }

    @inline(__always)
    init?(_ type: Any.Type) {
        let types = Self.types
        if type == types.data {
            self = .data
        } else if type == types.url {
            self = .url
        } else if type == types.decimal {
            self = .decimal
        } else {
            return nil
        }
    }

    /// A value of this type as a string; a URL that is relative to another in its own form.
    func json<T: Encodable>(of value: T) throws -> JSON {
        switch self {
        case .data:
            let bytes = (value as? any Collection<UInt8>).map { Array($0) } ?? []
            return .string(Base64.text(of: bytes))
        case .url:
            let own = try JSONEncoding.encodeOwn(value)
            return own["base"] == nil ? own["relative"] ?? own : own
        case .decimal: return .string("\(value)")
        }
    }

    /// Reads a value of `type`, which is this one; nil if it isn't written as text.
    func decode<T: Decodable>(_ type: T.Type, from decoder: JSONViewDecoder) throws -> T? {
        let view = decoder.view
        switch self {
        case .data:
            guard let text = view.string else { return nil }
            guard let bytes = Base64.bytes(of: text), let value = Self.make(type, of: bytes)
            else { throw decoder.mismatch(type, "bytes in base 64") }
            return value
        case .url:
            guard let text = view.string else { return nil }
            guard let value = try? Self.own(type, ["relative": .string(text)])
            else { throw decoder.mismatch(type, "a URL") }
            return value
        case .decimal:
            guard let text = view.string ?? (view.isNumber ? view.rawText : nil) else { return nil }
            guard let parts = Self.parts(ofDecimal: text), let value = try? Self.own(type, parts)
            else { throw decoder.mismatch(type, "a decimal number") }
            return value
        }
    }

    /// The value that the type's own `init(from:)` makes of a tree.
    private static func own<T: Decodable>(_ type: T.Type, _ json: JSON) throws -> T {
        try T(from: JSONViewDecoder(JSONDocument(json.bytes).root))
    }

    private static func make<T>(_ type: T.Type, of bytes: [UInt8]) -> T? {
        func make<C: RangeReplaceableCollection<UInt8>>(_ type: C.Type) -> Any { C(bytes) }
        return (type as? any RangeReplaceableCollection<UInt8>.Type).flatMap { make($0) as? T }
    }

    /// A `Decimal` in the form of its own coding: 128 bits of digits in pieces of 16, lowest first.
    private static func parts(ofDecimal text: String) -> JSON? {
        if text == "NaN" { return parts(0, 0, isNegative: true) }
        guard let number = DecimalDigits(text), number.exponent >= -128 else { return nil }
        let exponent = min(number.exponent, 127)
        guard let digits = DecimalDigits.scale(number.digits, by: number.exponent - exponent)
        else { return nil }
        return parts(digits, exponent, isNegative: number.isNegative && digits > 0)
    }

    private static func parts(_ digits: UInt128, _ exponent: Int, isNegative: Bool) -> JSON {
        let pieces = (0..<8).map { UInt16(truncatingIfNeeded: digits >> (16 * $0)) }
        let length = pieces.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        return [
            "exponent": .int(Int64(exponent)), "length": .int(Int64(length)),
            "isNegative": .bool(isNegative), "isCompact": true,
            "mantissa": .array(pieces.map { .int(Int64($0)) }),
        ]
    }
}

/// Bytes as text: RFC 4648 §4, with padding, without line breaks.
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func text(of bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text in
            var at = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let count = min(3, bytes.count - start)
                var bits = 0 as UInt32
                for place in 0..<3 {
                    bits = bits << 8 | (place < count ? UInt32(bytes[start + place]) : 0)
                }
                for place in 0..<4 {
                    let digit = Int(bits >> UInt32(18 - 6 * place)) & 63
                    text[at] = place <= count ? alphabet[digit] : UInt8(ascii: "=")
                    at += 1
                }
            }
            return at
        }
    }

    /// The bytes; nil unless ``text(of:)`` gives exactly this text for them.
    package static func bytes(of text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard text.count % 4 == 0 else { return nil }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var (bits, count) = (0 as UInt32, 0)
        for digit in text.dropLast(padding) {
            guard let value = value(of: digit) else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= 1 << UInt32(count) - 1
        }
        return bits == 0 ? bytes : nil
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
