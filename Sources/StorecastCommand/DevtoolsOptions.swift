import ArgumentParser
import Foundation
import StorecastServer
import StorecastTools

/// Who may look into the rooms of `serve`.
struct DevtoolsOptions: ParsableArguments {
    /// Where the token may be, as arguments can be read by everyone on the machine.
    static let variable = "STORECAST_DEVTOOLS_TOKEN"

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Let developers look into the rooms, at /devtools; without a token only from this "
                + "machine, which is the default when --host is this machine's."))
    var devtools: Bool?

    @Option(
        help: ArgumentHelp(
            "Ask developers for the token in this file, or else in \(Self.variable).",
            valueName: "file"), completion: .file())
    var devtoolsToken: String?

    /// Nil for nobody.
    ///
    /// - Parameter host: the address that the server listens on.
    func access(host: String) throws(CommandFailure) -> DevtoolsAccess? {
        if devtools == false { return nil }
        if let token = try token() { return .token(token) }
        let isLocal = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        guard !isLocal, devtools == true else { return isLocal ? .loopback : nil }
        throw CommandFailure(
            .trouble,
            "Devtools that others can reach need a token of at least 16 characters: put it into a "
                + "file and name that with --devtools-token, or into \(Self.variable).")
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
