package import StorecastWire

/// Finds out which JSON a type is read from: it reads the type with a decoder that records what the
/// type asks for.
///
/// The decoder answers with a plausible value: 0, an empty array, a case. If the type refuses it,
/// what it would have asked for next stays unknown.
///
/// The cases of an enumeration are known if it is `CaseIterable`. One with associated values can
/// declare its coding keys instead: `enum CodingKeys: CodingKey, CaseIterable`.
package final class ShapeFinder {
    /// A type and what was found.
    struct Finding<Value> {
        var shape: JSONShape
        /// A value of the type, to go on with; nil if none could be made.
        var sample: Value?
    }

    /// The types with declarations of their own, in the order in which they were met.
    package private(set) var declarations: [(name: String, shape: JSONShape)] = []
    private var names: [ObjectIdentifier: String] = [:]
    private var taken: Set<String>
    private var samples: [ObjectIdentifier: Any] = [:]

    /// The strings that are offered to types that are written as one: a URL, a date and a UUID
    /// among them.
    static let strings = [
        "", "a", "https://example.org/", "2001-01-01T00:00:00Z",
        "00000000-0000-4000-8000-000000000000",
    ]

    /// - Parameter reserved: names that no declaration may have.
    package init(reserved: Set<String> = []) {
        taken = reserved
    }

    package func shape(of type: any Decodable.Type) -> JSONShape {
        func open<T: Decodable>(_ type: T.Type) -> JSONShape { find(type).shape }
        return open(type)
    }

    /// The members of an object, without a declaration of its own; nil if it is something else.
    package func members(of type: any Decodable.Type) -> [JSONShape.Member]? {
        guard case .named(let name) = shape(of: type),
            case .object(let members, nil)? = declarations.first(where: { $0.name == name })?.shape
        else { return nil }
        return members
    }

    func find<T: Decodable>(_ type: T.Type) -> Finding<T> {
        if let known = type as? any ShapedType.Type {
            let (shape, sample) = known.shape(by: self)
            return Finding(shape: shape, sample: sample as? T)
        }
        let id = ObjectIdentifier(type)
        if let name = names[id] { return Finding(shape: .named(name), sample: samples[id] as? T) }
        let name = name(for: type)
        names[id] = name
        taken.insert(name)
        let place = declarations.count
        declarations.append((name, .any))
        let finding = read(type)
        declarations[place].shape = finding.shape
        samples[id] = finding.sample
        return Finding(shape: .named(name), sample: finding.sample)
    }

    /// The cases of a type that lists them; nil if it doesn't.
    static func cases<T>(of type: T.Type) -> [T]? {
        func list<Listed: CaseIterable>(_ type: Listed.Type) -> [T]? {
            Array(Listed.allCases) as? [T]
        }
        guard let type = type as? any CaseIterable.Type else { return nil }
        return list(type)
    }

    /// Reads the type once for each choice that it has.
    private func read<T: Decodable>(_ type: T.Type) -> Finding<T> {
        let encoded = encodedCases(of: type)
        let names = encoded.compactMap { Self.onlyName(in: $0) }
        let first = ShapeRecording(finder: self, cases: names)
        var finding = first.read(type)
        if first.isScalar, !encoded.isEmpty {
            return Finding(
                shape: .constants(encoded), sample: finding.sample ?? Self.cases(of: type)?.first)
        }
        if first.choices > 1 {
            var shapes = [finding.shape]
            for choice in 1..<first.choices {
                let other = ShapeRecording(finder: self, choice: choice, cases: names).read(type)
                shapes.append(other.shape)
                finding.sample = finding.sample ?? other.sample
            }
            finding.shape = .union(shapes)
        } else if first.isScalar {
            for choice in 1..<Self.strings.count where finding.sample == nil {
                finding.sample = ShapeRecording(finder: self, choice: choice).read(type).sample
            }
        }
        return finding
    }

    /// What the listed cases of a type are written as; none if that isn't known of all.
    private func encodedCases<T>(of type: T.Type) -> [JSON] {
        let cases = Self.cases(of: type) ?? []
        let encoded = cases.compactMap { value in
            (value as? any Encodable).flatMap { try? JSONCoding.encodeTree($0) }
        }
        return encoded.count == cases.count ? encoded : []
    }

    private static func onlyName(in value: JSON) -> String? {
        guard case .object(let members) = value, members.count == 1 else { return nil }
        return members.map(\.key).first
    }

    /// The type's name, preceded by those of its enclosing types if others have the same name; of
    /// a generic type with the names of its arguments: `RowPageOfCard`.
    private func name(for type: Any.Type) -> String {
        let text = String(reflecting: type)
        let arguments = text.drop { $0 != "<" }.split { ",<> ".contains($0) }
            .compactMap { $0.split(separator: ".").last.map { $0.filter(Self.isInName) } }
        // Module, enclosing types and type.
        var words = text.prefix { $0 != "<" }.split { !Self.isInName($0) }.map(String.init)
            .filter { $0.first?.isLetter == true }
        if !arguments.isEmpty, let own = words.popLast() {
            words.append(own + "Of" + arguments.joined())
        }
        for length in 1...max(1, words.count) {
            let name = words.suffix(length).joined()
            if !name.isEmpty, !taken.contains(name) { return name }
        }
        return words.joined() + "\(taken.count)"
    }

    private static func isInName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}

/// The JSON values that a Swift type is written as and read from.
package indirect enum JSONShape: Equatable {
    /// Any value at all.
    case any
    case boolean
    case number
    case string
    /// These strings and numbers only.
    case constants([JSON])
    case array(JSONShape)
    /// An object with any names.
    case dictionary(JSONShape)
    /// `gap` says why there may be more members; nil if these are all.
    case object([Member], gap: String?)
    case union([JSONShape])
    /// That, or null.
    case nullable(JSONShape)
    /// A type with a declaration of its own, by its name.
    case named(String)
    /// The reason why it isn't known.
    case unknown(String)

    package struct Member: Equatable {
        package var name: String
        package var shape: JSONShape
        /// It may be left out.
        package var isOptional: Bool
    }
}
