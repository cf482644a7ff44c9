extension JSON: Codable {
    /// Reads any value that `decoder` can describe; fastest with ``JSONCoding``.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? JSONViewDecoder {
            self = decoder.tree
            return
        }
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
        } else if let value = try? single.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? single.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? single.decode(UInt64.self) {
            self = .uint(value)
        } else if let value = try? single.decode(Double.self) {
            self = .double(value)
        } else if let value = try? single.decode(String.self) {
            self = .string(value)
        } else if let value = try? single.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try JSONObject(from: decoder))
        }
    }

    /// Writes the value through `encoder`, as the scalar or container that it is.
    public func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        switch self {
        case .null: try single.encodeNil()
        case .bool(let value): try single.encode(value)
        case .int(let value): try single.encode(value)
        case .uint(let value): try single.encode(value)
        case .double(let value): try single.encode(value)
        case .string(let value): try single.encode(value)
        case .array(let value): try single.encode(value)
        case .object(let value): try single.encode(value)
        }
    }
}

extension JSONObject: Codable {
    /// Reads the members of a keyed container, in the order in which the decoder lists them.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONCodingKey.self)
        self.init()
        for key in container.allKeys {
            self[key.stringValue] = try container.decode(JSON.self, forKey: key)
        }
    }

    /// Writes the members into a keyed container.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONCodingKey.self)
        for (key, value) in self {
            try container.encode(value, forKey: JSONCodingKey(key))
        }
    }
}

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

extension ExactString: Codable, CodingKeyRepresentable {
    /// Reads a string.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }

    /// The text as a member's name.
    public var codingKey: any CodingKey { JSONCodingKey(string) }

    /// The text of a member's name.
    public init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }
}
