extension StandardAction: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, payload, isTypedAction
    }

    /// Reads an action; without `isTypedAction` it counts as untyped.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(String.self, forKey: .type)
        // Not decodeIfPresent, which takes a payload of null for none.
        payload =
            container.contains(.payload)
            ? try container.decode(JSON.self, forKey: .payload) : nil
        isTypedAction = try container.decodeIfPresent(Bool.self, forKey: .isTypedAction) ?? false
    }

    /// Writes the action; a payload of nil is left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encodeIfPresent(payload, forKey: .payload)
        try container.encode(isTypedAction, forKey: .isTypedAction)
    }
}
