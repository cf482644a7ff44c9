/// A decoder that answers with made-up values and notes what it is asked for.
final class ShapeDecoder: Decoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    let reader: ShapeReader
    let sample: SampleValues
    /// The shape of a value that isn't an object or array.
    var single: Shape?
    private(set) var members: [Shape.Member]?
    /// The elements that were asked for one by one.
    var elements: [Shape]?
    var asksForEnd = false
    /// Of members whose names the type doesn't know.
    var values: Shape?
    /// The type asked which members there are, and knows their names itself.
    var asksForNames = false

    init(_ reader: ShapeReader, _ sample: SampleValues) {
        self.reader = reader
        self.sample = sample
    }

    /// What a type is that has read all it wanted.
    var shape: Shape {
        if let values { return .dictionary(values) }
        if let members { return .object(members) }
        if let elements { return asksForEnd ? .array(.oneOf(elements)) : .tuple(elements) }
        return single ?? .object([])
    }

    /// What a type is that refused the values.
    var incompleteShape: Shape {
        if asksForNames, members?.isEmpty ?? true {
            return .unknown("an enum with associated values")
        }
        if let single { return single }
        guard members != nil else { return .unknown("it refuses made-up values") }
        return .unknown("it refuses made-up values of \(members?.map(\.name).joined(separator: ", ") ?? "")")
    }

    func beginObject() { members = members ?? [] }

    func note(_ name: String, _ shape: Shape, isOptional: Bool) {
        if let place = members?.firstIndex(where: { $0.name == name }) {
            members?[place].shape = shape
        } else {
            members?.append(Shape.Member(name: name, shape: shape, isOptional: isOptional))
        }
    }

    /// The member needn't be there.
    func noteOptional(_ name: String) {
        if let place = members?.firstIndex(where: { $0.name == name }) {
            members?[place].isOptional = true
        } else {
            note(name, .unknown("nothing asked for it"), isOptional: true)
        }
    }

    /// A made-up value of a type, and what it looks like.
    func made<T: Decodable>(_ type: T.Type, noting note: (Shape) -> Void) throws -> T {
        if let (shape, value) = scalar(type) {
            note(shape)
            guard let value = value as? T else { throw Self.refusal }
            return value
        }
        let (shape, value) = reader.read(type)
        note(shape)
        guard let value else { throw Self.refusal }
        return value
    }

    private func scalar(_ type: any Decodable.Type) -> (Shape, Any?)? {
        switch type {
        case is String.Type: (.string, sample.text)
        case is Bool.Type: (.boolean, true)
        case is Double.Type: (.number, Double(sample.number))
        case is Float.Type: (.number, Float(sample.number))
        case let type as any BinaryInteger.Type: (.number, type.init(clamping: sample.number))
        default: nil
        }
    }

    static var refusal: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "It can't be made up."))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        beginObject()
        return KeyedDecodingContainer(ShapeMembers(self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        elements = elements ?? []
        return ShapeElements(self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { ShapeValue(self) }
}
