/// A member's name or an element's index, where no type declares keys of its own.
struct JSONCodingKey: CodingKey, Equatable {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(stringValue: String) { self.init(stringValue) }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    /// What `superDecoder()` and `superEncoder()` read and write.
    static let `super` = JSONCodingKey("super")
}
