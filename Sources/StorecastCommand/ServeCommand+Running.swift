import ArgumentParser
import Example
import Foundation
import Logging
import StorecastCluster
import StorecastServer
import StorecastTools

/// What the command does: it serves, and tells the person who started it where.
extension ServeCommand {
    func run() async throws {
        if printConfiguration { return try await printSettings() }
        let (level, format) = (SharedLogLevel(logLevel.level), logFormat)
        LoggingSystem.bootstrap { label in
            let handler: any LogHandler =
                switch format {
                case .text: StreamLogHandler.standardError(label: label)
                case .json: JSONLogHandler(label: label)
                }
            return LeveledLogHandler(handler, level)
        }
        let arguments = Array(CommandLine.arguments.dropFirst(2))
        let settings = try await Settings(
            arguments, of: Self.self, environment: ProcessInfo.processInfo.environment)
        for sentence in settings.overruled { say(sentence) }
        let reload = try await ServeReload(arguments)
        let onReload = reload.map { reload in
            { @Sendable (server: SyncServer) in try await reload(server, level) }
        }
        if let file {
            let names = (try? ServedRoom.names(in: file)) ?? []
            let paths = try paths
            let lost = names.filter { !paths.contains($0) }
            if !lost.isEmpty {
                say(
                    "\(file) also has rooms that no --rooms matches, so nobody can reach them: "
                        + KnownNames(lost).text + ".")
            }
        }
        guard isDocument else { return try await serve(Board.room, onReload) }
        guard let json else { return try await serve(try document([:]), onReload) }
        let start = try read(json)
        if rooms.isEmpty, let file, ServedRoom.began(otherThan: start, in: file) {
            say(
                "\(json) isn't what the history in \(file) began with; the history goes on. To "
                    + "begin anew with the document, name another file with --data.")
        }
        try await serve(try document(start), onReload)
    }

    private func document(_ start: JSON) throws -> RoomDefinition<SharedDocument> {
        try StormSchema(ProcessInfo.processInfo.environment)
            .definition(initial: start, bytes: documentBytes)
    }

    func read(_ path: String) throws -> JSON {
        let bar = ProgressBar("reading \(path)")
        defer { bar.end() }
        return try JSONFile.read(path, longest: documentBytes) { bar.show($0) }
    }

    private func serve<State>(
        _ room: RoomDefinition<State>,
        _ onReload: (@Sendable (SyncServer) async throws -> Void)?
    ) async throws {
        // Without rules everybody may do everything.
        let room = room.allowAll(isClosed ? .signedIn : .open)
        let access = try devtools.access(environment: ProcessInfo.processInfo.environment)
        let (server, node): (SyncServer, ClusterNode?)
        do throws(ServerError) {
            node = try clusterNode
            server = try self.server(
                of: room, access?.access, try await jwt.authentication, onReload, in: node)
        } catch {
            throw CommandFailure(.trouble, error.description)
        }
        let known = (rooms.isEmpty ? ["/"] : rooms).filter { !$0.contains("*") }
        do throws(ServerError) {
            try await server.run(onRecovery: node == nil ? recovery : nil) { url in
                say(place(node))
                StandardOutput.write("listening on \(url)")
                let page = "http" + url.dropFirst(2)
                StandardOutput.write("in a browser: \(page)")
                if let url = server.operationsURL {
                    StandardOutput.write("its health and metrics: \(url)metrics")
                }
                if let access, let address = node?.address {
                    StandardOutput.write(
                        "devtools of the rooms that it has: "
                            + "http\(address.dropFirst(2))/devtools/\(access.fragment)")
                } else if let access {
                    StandardOutput.write("its devtools: \(page)devtools/\(access.fragment)")
                }
                // Now rather than when the first client comes, as it may take a while; but what
                // another server may have isn't taken from it.
                for path in nats.addresses == nil && edge.upstream == nil ? known : [] {
                    Task { _ = try? await server.room(path, of: State.self) }
                }
                ServiceManager.tell("READY=1")
            }
        } catch {
            throw CommandFailure(.trouble, error.description)
        }
    }

    /// Where what happens is kept, in a sentence.
    private func place(_ node: ClusterNode?) -> String {
        let name = nats.access.natsName
        if let node {
            return "in the cluster '\(name)' as \(node.id), at \(node.address ?? "")"
        }
        if let upstream = edge.upstream { return "an edge of \(upstream)" }
        let place = file ?? nats.nats.map { "the streams '\(name)' at \($0)" }
        return "keeping what happens in \(place ?? "memory")"
    }

    /// Shows a terminal how far the room has come with its history; elsewhere it is logged.
    private var recovery: (@Sendable (RoomProgress) -> Void)? {
        guard StandardError.isTerminal else { return nil }
        let bar = ProgressBar("reading the history")
        return { progress in
            if progress.done < progress.total {
                bar.show(Double(progress.done) / Double(progress.total))
            } else {
                bar.end()
            }
        }
    }

    /// Tells the person who started it, or the log if programs read that.
    private func say(_ text: String) {
        switch logFormat {
        case .text: StandardError.write(text)
        case .json: Logger(label: "storecast.serve").notice("\(text)")
        }
    }

    private func printSettings() async throws {
        let environment = ProcessInfo.processInfo.environment
        let settings = try await Settings(
            Array(CommandLine.arguments.dropFirst(2)), of: Self.self, environment: environment)
        for line in settings.table(try limits, environment: environment) {
            StandardOutput.write(line)
        }
        for sentence in settings.overruled { say(sentence) }
    }
}
