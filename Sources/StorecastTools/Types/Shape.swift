/// What the JSON of a type looks like, as far as its `init(from:)` tells.
indirect enum Shape: Equatable {
    case null, boolean, number, string
    /// Exactly this text.
    case literal(String)
    case array(Shape)
    case tuple([Shape])
    /// An object whose members' names aren't known, all with values of one shape.
    case dictionary(Shape)
    case object([Member])
    /// An object that has a name of its own, described in ``ShapeReader/types``.
    case named(String)
    case union([Shape])
    /// Why it can't be known, in a few words.
    case unknown(String)

    struct Member: Equatable {
        var name: String
        var shape: Shape
        var isOptional: Bool
    }

    var isObject: Bool {
        if case .object = self { true } else { false }
    }

    /// This or null.
    var orNull: Shape {
        switch self {
        case .null, .unknown: self
        case .union(let shapes): shapes.contains(.null) ? self : .union(shapes + [.null])
        default: .union([self, .null])
        }
    }

    /// One of these.
    static func oneOf(_ shapes: [Shape]) -> Shape {
        var different: [Shape] = []
        for shape in shapes where !different.contains(shape) { different.append(shape) }
        return different.count == 1 ? different[0] : .union(different)
    }
}
