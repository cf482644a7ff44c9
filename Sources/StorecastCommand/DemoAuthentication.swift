import StorecastServer

/// Who a client of `storecast serve` is: whoever it says. For trying things out, not secure.
enum DemoAuthentication {
    static let longestName = 64

    /// The user whose name the token is; anonymous without one.
    static func identity(token: String?) throws(Rejection) -> Identity {
        guard let token else { return .anonymous }
        guard isName(token) else {
            throw Rejection(
                .unauthenticated, "The token isn't a name.",
                detail: "A name has 1 to \(longestName) characters and no control characters.")
        }
        return Identity(token)
    }

    /// Whether a user may be called so.
    static func isName(_ text: String) -> Bool {
        text.utf8.count <= 4 * longestName
            && (1...longestName).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
