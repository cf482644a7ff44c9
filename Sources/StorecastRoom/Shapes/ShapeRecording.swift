import StorecastWire

/// A decoder that records what a type asks for while it is read once.
final class ShapeRecording {
    /// A reading can't go on without a value of this type.
    private struct NoSample: Error {
        var type: Any.Type
    }

    let finder: ShapeFinder
    /// The answer to a question that has several: an index.
    private let choice: Int
    /// The names of the type's cases, as far as they are known.
    private let cases: [String]
    /// How many answers the question has.
    private(set) var choices = 1
    /// Whether the type is a single string, number or truth value.
    private(set) var isScalar = false
    /// Whether the type asked which names its object has, and they aren't known.
    private var lacksNames = false

    private enum Content {
        case nothing
        case object([(name: String, member: ShapeRecording, isOptional: Bool)])
        case array(ShapeRecording?)
        case value(JSONShape)
    }

    private var content = Content.nothing
    private var optionals: Set<ExactString> = []

    init(finder: ShapeFinder, choice: Int = 0, cases: [String] = []) {
        self.finder = finder
        self.choice = choice
        self.cases = cases
    }

    func read<T: Decodable>(_ type: T.Type) -> ShapeFinder.Finding<T> {
        do {
            let sample = try T(from: self)
            return ShapeFinder.Finding(shape: shape(gap: nil), sample: sample)
        } catch let error as NoSample {
            let gap =
                "What follows could not be found out: no value of \(error.type) is known. "
                + "Enumerations have to be CaseIterable."
            return ShapeFinder.Finding(shape: shape(gap: gap), sample: nil)
        } catch {
            return ShapeFinder.Finding(
                shape: shape(gap: "What follows could not be found out."), sample: nil)
        }
    }

    /// - Parameter gap: why the reading ended early; nil if it didn't.
    private func shape(gap: String?) -> JSONShape {
        switch content {
        case .nothing where gap == nil: .object([], gap: nil)
        case .nothing: .unknown("It is read in a way of its own.")
        case .value(let shape): shape
        case .array(let element): .array(element?.shape(gap: gap) ?? .any)
        case .object(let members) where members.isEmpty && lacksNames && gap != nil:
            .unknown("Its cases aren't known: declare its CodingKeys, as CaseIterable.")
        case .object(let members):
            .object(
                members.map { name, member, isOptional in
                    JSONShape.Member(
                        name: name, shape: member.shape(gap: gap), isOptional: isOptional)
                }, gap: gap)
        }
    }

    // MARK: What is asked

    func becomeObject() {
        guard case .object = content else { return content = .object([]) }
    }

    func becomeArray() -> ShapeRecording {
        if case .array(let element?) = content { return element }
        let element = ShapeRecording(finder: finder)
        content = .array(element)
        return element
    }

    /// The names in an object, asked by a type that goes by them: one of those that it knows.
    func names<Key: CodingKey>(of type: Key.Type) -> [Key] {
        let keys = ShapeFinder.cases(of: type) ?? cases.compactMap { Key(stringValue: $0) }
        guard !keys.isEmpty else {
            lacksNames = true
            return []
        }
        choices = keys.count
        return [keys[min(choice, keys.count - 1)]]
    }

    func mayLack(_ name: String) {
        optionals.insert(ExactString(name))
    }

    /// The recording of a member.
    func member(_ name: String) -> ShapeRecording {
        guard case .object(var members) = content else { return ShapeRecording(finder: finder) }
        if let known = members.first(where: { $0.name.isSameText(as: name) }) {
            return known.member
        }
        let member = ShapeRecording(finder: finder)
        members.append((name, member, optionals.contains(ExactString(name))))
        content = .object(members)
        return member
    }

    func value<T: Decodable>(_ type: T.Type) throws -> T {
        let finding = finder.find(type)
        content = .value(finding.shape)
        guard let sample = finding.sample else { throw NoSample(type: type) }
        return sample
    }

    /// The single value that the type is.
    func single<T: Decodable>(_ type: T.Type) throws -> T {
        isScalar = type is any ShapedType.Type
        let sample = try value(type)
        guard sample is String, choice < ShapeFinder.strings.count,
            let string = ShapeFinder.strings[choice] as? T
        else { return sample }
        return string
    }
}

extension ShapeRecording: Decoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        becomeObject()
        return KeyedDecodingContainer(ShapeMembers(recording: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        ShapeElements(recording: becomeArray())
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        ShapeScalar(recording: self)
    }
}

/// Notes the members of an object.
struct ShapeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recording: ShapeRecording

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { recording.names(of: Key.self) }

    func contains(_ key: Key) -> Bool {
        recording.mayLack(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        recording.mayLack(key.stringValue)
        return false
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try recording.member(key.stringValue).value(type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        recording.mayLack(key.stringValue)
        _ = try? recording.member(key.stringValue).value(type)
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        recording.member(key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
        recording.member(key.stringValue).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { recording.member("super") }

    func superDecoder(forKey key: Key) -> any Decoder { recording.member(key.stringValue) }
}

/// Notes the elements of an array, which has one of them.
struct ShapeElements: UnkeyedDecodingContainer {
    let recording: ShapeRecording
    private(set) var currentIndex = 0

    init(recording: ShapeRecording) {
        self.recording = recording
    }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { 1 }
    var isAtEnd: Bool { currentIndex > 0 }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        currentIndex += 1
        return try recording.value(type)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedDecodingContainer<Nested> {
        currentIndex += 1
        return recording.container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return recording.unkeyedContainer()
    }

    mutating func superDecoder() -> any Decoder {
        currentIndex += 1
        return recording
    }
}

/// Notes the one value that a type is.
struct ShapeScalar: SingleValueDecodingContainer {
    let recording: ShapeRecording

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try recording.single(type) }
}
