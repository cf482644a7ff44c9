import StorecastSync
import StorecastTools

/// An action as `dispatch` takes it: by its wire name, with its payload as JSON.
struct ActionLine: Equatable {
    var type: String
    var payload: JSON?

    init(type: String, payload: JSON?) {
        self.type = type
        self.payload = payload
    }

    /// Reads `{"type":…,"payload":…}` or `TYPE PAYLOAD`; nil for an empty line.
    init?(parsing line: String) throws(CommandFailure) {
        let text = line.drop(while: \.isWhitespace)
        guard let first = text.first else { return nil }
        if first == "{" {
            self = try Self(object: JSONText.parse(String(text), "The action"))
            return
        }
        let parts = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        type = String(parts[0])
        let rest = parts.count > 1 ? parts[1].drop(while: \.isWhitespace) : ""
        payload = rest.isEmpty ? nil : try JSONText.payload(String(rest))
    }

    private init(object: JSON) throws(CommandFailure) {
        guard let type = object["type"]?.string else {
            throw CommandFailure(
                .trouble, "The action has no type: write {\"type\":TYPE,\"payload\":PAYLOAD}.")
        }
        self.type = type
        payload = object["payload"]
    }
}
