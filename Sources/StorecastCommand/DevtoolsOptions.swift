import ArgumentParser
import Foundation
import StorecastDevtools
import StorecastTools

/// Who may look into the rooms of `serve`.
struct DevtoolsOptions: ParsableArguments {
    /// Where the token may be, as arguments can be read by everyone on the machine.
    static let variable = "STORECAST_DEVTOOLS_TOKEN"

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Let developers look into the rooms, at /devtools, with the token that is in the URL "
                + "that is printed."))
    var devtools: Bool?

    @Option(
        help: ArgumentHelp(
            "Ask developers for the token in this file, or else in \(Self.variable), rather than "
                + "for one that is made at the start; implies --devtools.",
            valueName: "file"), completion: .file())
    var devtoolsToken: String?

    /// Nil for nobody. The fragment is what the page's URL has behind it: browsers don't send it,
    /// so that the token is in nobody's log. Empty if the token was chosen, and so is known.
    func access() throws(CommandFailure) -> (access: DevtoolsAccess, fragment: String)? {
        if devtools == false { return nil }
        if let token = try token() { return (.token(token), "") }
        guard devtools == true else { return nil }
        let token = DevtoolsAccess.makeToken()
        return (.token(token), "#token=\(token)")
    }

    private func token() throws(CommandFailure) -> String? {
        let text: String
        if let devtoolsToken {
            guard let content = FileManager.default.contents(atPath: devtoolsToken) else {
                throw CommandFailure(.trouble, "Can't read the token in '\(devtoolsToken)'.")
            }
            text = String(decoding: content, as: UTF8.self)
        } else if let content = ProcessInfo.processInfo.environment[Self.variable] {
            text = content
        } else {
            return nil
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard DevtoolsAccess.isLongEnough(token) else {
            throw CommandFailure(
                .trouble, "The devtools' token is too short: at least 16 characters.")
        }
        return token
    }
}
