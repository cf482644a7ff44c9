package import StorecastWire

/// A value that a test has written down.
package func parsed(_ text: String) -> JSON {
    do {
        return try JSON(parsing: text)
    } catch {
        preconditionFailure("The test's own JSON is broken: \(text)")
    }
}

/// Ids of clients.
extension String {
    package static let ada = "ada-0123456789abcdef"
    package static let bob = "bob-0123456789abcdef"
}

/// Members of frames.
extension JSON {
    package var op: String { self["op"]?.string ?? "?" }
    package var code: String { self["code"]?.string ?? "?" }
    package var v: Int { self["v"]?.int ?? -1 }
}

extension [JSON] {
    package var ops: [String] { map(\.op) }
    package func first(_ op: String) -> JSON? { first { $0.op == op } }
}
