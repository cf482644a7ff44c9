import StorecastSync

/// What a type asks for while it is read once.
final class ShapeRecording {
    /// Why a reading can't go on.
    struct NoSample: Error {}

    let finder: ShapeFinder
    /// Which of several things a choice is answered with.
    let choice: Int
    /// How many things a choice could be answered with.
    private(set) var choices = 1
    /// The type is one string, number or truth value.
    private(set) var isScalar = false

    private enum Content {
        case nothing
        case object([(name: String, member: ShapeRecording, isOptional: Bool)])
        case array(ShapeRecording?)
        case value(JSONShape)
    }

    private var content = Content.nothing
    private var optionals: Set<ExactString> = []

    init(finder: ShapeFinder, choice: Int = 0) {
        self.finder = finder
        self.choice = choice
    }

    func read<T: Decodable>(_ type: T.Type) -> ShapeFinder.Finding<T> {
        let sample = try? T(from: self)
        return ShapeFinder.Finding(shape: shape(isComplete: sample != nil), sample: sample)
    }

    func shape(isComplete: Bool) -> JSONShape {
        switch content {
        case .nothing where isComplete: .object([], isComplete: true)
        case .nothing: .unknown("It is read in a way of its own.")
        case .value(let shape): shape
        case .array(let element): .array(element?.shape(isComplete: isComplete) ?? .any)
        case .object(let members):
            .object(
                members.map { name, member, isOptional in
                    JSONShape.Member(
                        name: name, shape: member.shape(isComplete: isComplete),
                        isOptional: isOptional)
                }, isComplete: isComplete)
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

    /// The names that an object may have; one of them, if that decides what follows.
    func names<Key: CodingKey>(of type: Key.Type) -> [Key] {
        guard let keys = EnumerationCases.all(of: type), !keys.isEmpty else { return [] }
        choices = keys.count
        return [keys[min(choice, keys.count - 1)]]
    }

    func mayLack(_ name: String) {
        optionals.insert(ExactString(name))
    }

    /// The member of the name, as it is going to be read.
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
        guard let sample = finding.sample else { throw NoSample() }
        return sample
    }

    /// The type's own one value.
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
