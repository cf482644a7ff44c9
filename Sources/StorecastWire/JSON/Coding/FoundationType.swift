/// The types of Foundation whose own `Codable` makes of them what nobody expects in JSON: arrays of
/// bytes, `{"relative":…}`, `{"mantissa":…}`. They are written as text here; what their own makes
/// of them is read too, as journals hold it.
///
/// Found by name, so that this module needs no Foundation: in a program without it there are none.
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

    /// The value, which is of this type, as text; as its own coding has it where it is more than
    /// that: a URL that is relative to another.
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
