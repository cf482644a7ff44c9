import StorecastSync

/// Finds out which JSON a type is read from by having it read, and noting what it asks for.
///
/// It is given something that it may take wherever it asks: 0, an empty array, the first case. A
/// type that doesn't take any of that hides what it would have asked for next.
final class ShapeFinder {
    /// A type and what was found.
    struct Finding<Value> {
        var shape: JSONShape
        /// A value of the type, to go on with; nil if none could be made.
        var sample: Value?
    }

    /// The types with declarations of their own, in the order in which they were met.
    private(set) var declarations: [(name: String, shape: JSONShape)] = []
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
    init(reserved: Set<String> = []) {
        taken = reserved
    }

    func shape(of type: any Decodable.Type) -> JSONShape {
        func open<T: Decodable>(_ type: T.Type) -> JSONShape { find(type).shape }
        return open(type)
    }

    /// The members of an object, without a declaration of its own; nil if it is something else.
    func members(of type: any Decodable.Type) -> [JSONShape.Member]? {
        guard case .named(let name) = shape(of: type),
            case .object(let members, true)? = declarations.first(where: { $0.name == name })?.shape
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

    /// Reads the type as often as it has choices.
    private func read<T: Decodable>(_ type: T.Type) -> Finding<T> {
        let first = ShapeRecording(finder: self)
        var finding = first.read(type)
        if let constants = constants(of: type, from: first) {
            return Finding(
                shape: .constants(constants), sample: finding.sample ?? cases(type)?.first)
        }
        if first.choices > 1 {
            var shapes = [finding.shape]
            for choice in 1..<first.choices {
                let other = ShapeRecording(finder: self, choice: choice).read(type)
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

    private func cases<T>(_ type: T.Type) -> [T]? { EnumerationCases.all(of: type) }

    /// The cases of an enumeration that is written as a string or number each.
    private func constants<T: Decodable>(of type: T.Type, from recording: ShapeRecording) -> [JSON]?
    {
        guard recording.isScalar, let cases = cases(type) else { return nil }
        let constants = cases.compactMap { ($0 as? any Encodable).flatMap { try? encoded($0) } }
        return constants.count == cases.count ? constants : nil
    }

    private func encoded(_ value: any Encodable) throws -> JSON {
        try JSONCoding.encodeTree(value)
    }

    /// The type's name; with the name of what it is nested in if that is needed to tell it from
    /// another.
    private func name(for type: Any.Type) -> String {
        // Module, enclosing types, type; what is generic goes on with its arguments.
        let words = String(reflecting: type).split { !($0.isLetter || $0.isNumber || $0 == "_") }
            .filter { $0.first?.isLetter == true }
        for length in 1...max(1, words.count) {
            let name = words.suffix(length).joined()
            if !name.isEmpty, !taken.contains(name) { return name }
        }
        return words.joined() + "\(taken.count)"
    }
}
