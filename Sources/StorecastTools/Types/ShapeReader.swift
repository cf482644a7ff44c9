import StorecastSync

/// Finds out what the JSON of Swift types looks like, by letting them read made-up values.
///
/// A synthesised `init(from:)` asks for every member by name and type. One that is written by hand may
/// not, or may refuse what it is given; what it hasn't asked for isn't known.
final class ShapeReader {
    /// The objects that have names, in the order in which they were found.
    private(set) var types: [(name: String, shape: Shape)] = []

    private let taken: Set<String>
    private var names: [ObjectIdentifier: String] = [:]
    private var known: [ObjectIdentifier: (shape: Shape, value: Any?)] = [:]
    private var underway: Set<ObjectIdentifier> = []

    /// - Parameter name: one that no type gets.
    init(besides name: String) {
        taken = ShapeText.reserved.union([name])
    }

    /// The shape of a type.
    func shape(of type: any Decodable.Type) -> Shape {
        read(type).shape
    }

    /// The shape of a type, and a value of it if one can be made up.
    func read<T: Decodable>(_ type: T.Type) -> (shape: Shape, value: T?) {
        if let (shape, value) = wellKnown(type) { return (shape, value as? T) }
        let id = ObjectIdentifier(type)
        if let (shape, value) = known[id] { return (shape, value as? T) }
        guard underway.insert(id).inserted else { return (.named(name(of: type)), nil) }
        defer { underway.remove(id) }
        var (shape, value) = readAnew(type)
        // An object, or something that has itself within it.
        if shape.isObject || names[id] != nil {
            types.append((name(of: type), shape))
            shape = .named(name(of: type))
        }
        known[id] = (shape, value)
        return (shape, value)
    }

    private func readAnew<T: Decodable>(_ type: T.Type) -> (shape: Shape, value: T?) {
        var best: Shape?
        for sample in SampleValues.all {
            let decoder = ShapeDecoder(self, sample)
            do {
                let value = try T(from: decoder)
                return (decoder.shape, value)
            } catch {
                if best == nil { best = decoder.incompleteShape }
            }
        }
        return (best ?? .unknown("it can't be read"), nil)
    }

    /// The type's own name, with a number if another type has it already.
    private func name(of type: any Any.Type) -> String {
        let id = ObjectIdentifier(type)
        if let name = names[id] { return name }
        let letters = String(describing: type).map { $0.isLetter || $0.isNumber ? $0 : "_" }
        let plain = String(letters)
        var name = plain
        var count = 1
        while names.values.contains(name) || taken.contains(name) {
            count += 1
            name = "\(plain)\(count)"
        }
        names[id] = name
        return name
    }

    // MARK: Types that needn't be asked

    private func wellKnown(_ type: any Decodable.Type) -> (Shape, Any?)? {
        switch type {
        case is JSON.Type: return (.unknown("any JSON"), JSON.int(0))
        case is JSONObject.Type: return (.dictionary(.unknown("any JSON")), JSONObject())
        case let type as any WrappingShape.Type: return type.shape(by: self)
        case let type as any CaseIterable.Type: return cases(of: type)
        default: return nil
        }
    }

    /// An enum's cases, as they are written.
    private func cases<E: CaseIterable>(of type: E.Type) -> (Shape, Any?)? {
        var shapes: [Shape] = []
        for value in type.allCases {
            guard let value = value as? any Encodable, let json = try? JSONCoding.encodeTree(value),
                let shape = Self.literal(json)
            else { return nil }
            shapes.append(shape)
        }
        return shapes.isEmpty ? nil : (.oneOf(shapes), type.allCases.first)
    }

    private static func literal(_ json: JSON) -> Shape? {
        switch json {
        case .string, .int, .uint: .literal(json.description)
        // A case without a raw value: {"name":{}}.
        case .object(let object):
            .object(
                object.keys.map { Shape.Member(name: $0, shape: .object([]), isOptional: false) })
        default: nil
        }
    }
}

/// A container whose shape follows from that of what is in it; empty ones end recursion.
private protocol WrappingShape {
    static func shape(by reader: ShapeReader) -> (Shape, Any?)
}

extension Optional: WrappingShape where Wrapped: Decodable {
    fileprivate static func shape(by reader: ShapeReader) -> (Shape, Any?) {
        (reader.shape(of: Wrapped.self).orNull, Self.none as Any)
    }
}

extension Array: WrappingShape where Element: Decodable {
    fileprivate static func shape(by reader: ShapeReader) -> (Shape, Any?) {
        let (shape, value) = reader.read(Element.self)
        return (.array(shape), value.map { [$0] } ?? [])
    }
}

extension Set: WrappingShape where Element: Decodable {
    fileprivate static func shape(by reader: ShapeReader) -> (Shape, Any?) {
        let (shape, value) = reader.read(Element.self)
        return (.array(shape), value.map { [$0] as Set } ?? [])
    }
}
