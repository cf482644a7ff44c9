public import StorecastSync

/// Adds to the number at the path; a missing member of an object counts as 0.
///
/// Integers are exact to 64 bits, `2.0` is one; a sum beyond them is rejected. Any other sum is a
/// double.
public struct IncrementValue: SyncAction, JSONEdit {
    /// `"increment"`.
    public static let wireName = "increment"

    /// Where.
    public var path: JSONPath
    /// How much to add: a number, 1 if it is left out.
    public var by: JSON
    var within: Int?

    /// An action to dispatch.
    public init(path: JSONPath, by: JSON = 1) {
        self.path = path
        self.by = by
    }

    /// Reads `by`, if it is there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = try container.decode(JSONPath.self, forKey: .path)
        by = container.contains(.by) ? try container.decode(JSON.self, forKey: .by) : 1
        within = try container.decodeIfPresent(Int.self, forKey: .within)
        guard by.double != nil else {
            throw DecodingError.dataCorruptedError(
                forKey: .by, in: container,
                debugDescription: "Expected a number, found \(by.kindName).")
        }
    }

    func check(_ document: SharedDocument) throws(Rejection) {
        let value = try target(in: document.value)
        try checkRoom(for: (value ?? 0).adding(by), in: document)
    }

    func growth(of document: JSON) -> Int {
        let value = (try? path.pointer.resolve(in: document)) ?? 0
        return growth(of: document, setting: (try? value.adding(by)) ?? value)
    }

    func apply(to document: inout JSON) {
        document.change(at: path, from: 0) { value in
            if let sum = try? value.adding(by) { value = sum }
        }
    }
}
