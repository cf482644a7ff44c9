import StorecastServer

/// Who a client of `storecast serve` is: whoever it says. For trying things out, not secure.
enum DemoAuthentication {
    static let longestName = 64

    /// The user whose name the token is; anonymous without one.
    ///
    /// A page of another site in a browser on this machine isn't let in: it could be any.
    static func identity(_ credentials: Credentials) throws(Rejection) -> Identity {
        guard !credentials.isFromOtherSite else {
            throw Rejection(
                .forbidden, "Pages of other sites have no place here.",
                detail: "This server takes its own pages, and programs.")
        }
        guard let token = credentials.token else { return .anonymous }
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
