import ArgumentParser
import Foundation
import Logging
import StorecastServer
import StorecastTools
import Synchronization

/// What `storecast serve` takes from its configuration's file again on SIGHUP.
struct ServeReload: Sendable {
    private let arguments: [String]
    private let environment: [String: String]
    /// The settings that it began with.
    private let rows: [Settings.Row]

    /// Settings that a running server takes; of limits it says itself which.
    private static let live: Set = ["allow-origin", "drain-timeout", "log-level", "rate"]

    /// Nil if it began without such a file: then nothing can be otherwise.
    ///
    /// - Parameter arguments: of the command, as they were given.
    init?(
        _ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws {
        let settings = try await Settings(
            arguments, of: ServeCommand.self, environment: environment)
        guard settings.file != nil else { return nil }
        (self.arguments, self.environment, rows) = (arguments, environment, settings.rows)
    }

    /// Has the server take what holds now; throws, and changes nothing, if that can't be used.
    func callAsFunction(_ server: SyncServer, _ level: SharedLogLevel) async throws {
        let now: ServeCommand
        let settings: Settings
        do {
            settings = try await Settings(
                arguments, of: ServeCommand.self, environment: environment)
            now = try settings.command()
        } catch {
            let reason =
                (error as? CommandFailure)?.description ?? ServeCommand.message(for: error)
            throw CommandFailure(.trouble, "The settings stay as they are. \(reason.onOneLine)")
        }
        level.set(now.logLevel.level)
        await server.setAllowedOrigins(now.allowOrigin)
        let fixed = await server.setLimits(try now.limits)
        let logger = Logger(label: "storecast.serve")
        logger.info("settings reloaded")
        let waiting =
            Self.waiting(settings.rows, since: rows) + fixed.map { "limit " + $0 }
        guard !waiting.isEmpty else { return }
        logger.warning(
            "These settings take effect at the next start: \(waiting.joined(separator: ", "))."
        )
    }

    /// The names of settings that are otherwise now than before, and that no running server takes.
    static func waiting(_ now: [Settings.Row], since before: [Settings.Row]) -> [String] {
        now.filter { row in
            !live.contains(row.name) && !row.name.hasPrefix("limit ") && !before.contains(row)
        }
        .map(\.name)
    }
}

/// The least severe level that the loggers of a process log.
final class SharedLogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    init(_ level: Logger.Level) { self.level = Mutex(level) }

    var value: Logger.Level { level.withLock(\.self) }

    func set(_ level: Logger.Level) { self.level.withLock { $0 = level } }
}

/// Has another handler log by a level that may change, whatever loggers were made before.
struct LeveledLogHandler: LogHandler {
    private var handler: any LogHandler
    private let level: SharedLogLevel
    /// A logger's own.
    private var own: Logger.Level?

    init(_ handler: any LogHandler, _ level: SharedLogLevel) {
        self.handler = handler
        self.handler.logLevel = .trace
        self.level = level
    }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    var logLevel: Logger.Level {
        get { own ?? level.value }
        set { own = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { handler.log(event: event) }
}
