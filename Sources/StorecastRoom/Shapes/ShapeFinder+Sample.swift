package import StorecastWire

extension ShapeFinder {
    /// How deep a sample is; what would lie below is null.
    private static var deepest: Int { 8 }

    /// A value that the type may be read from, for somebody to begin with who writes one by hand:
    /// without what may be left out.
    package func sample(of type: any Decodable.Type) -> JSON { sample(shape(of: type), 0) }

    private func sample(_ shape: JSONShape, _ depth: Int) -> JSON {
        guard depth < Self.deepest else { return .null }
        switch shape {
        case .any, .nullable, .unknown: return .null
        case .boolean: return false
        case .number: return 0
        case .string: return ""
        case .constants(let values): return values.first ?? .null
        case .array: return []
        case .dictionary: return [:]
        case .union(let shapes): return shapes.first.map { sample($0, depth + 1) } ?? .null
        case .named(let name):
            let declared = declarations.first { $0.name.isSameText(as: name) }
            return declared.map { sample($0.shape, depth + 1) } ?? .null
        case .object(let members, _):
            var object: JSONObject = [:]
            for member in members where !member.isOptional {
                object[member.name] = sample(member.shape, depth + 1)
            }
            return .object(object)
        }
    }
}
