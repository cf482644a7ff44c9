import StorecastRoom
import StorecastSync
import StorecastWire

/// The snapshots of rooms at JetStream: each in pieces, and behind them its manifest, without which
/// the pieces are nothing.
///
/// A manifest says of which history it is, by the checksum of the message in the room's log that
/// the snapshot stands behind, which is chained to all before it: where a log has lost its end,
/// what is kept of that end isn't taken for something of what was written since. So nothing has to
/// be removed when a room is taken over, which somebody might do who isn't its writer any more. Who
/// was replaced writes no manifest in place of the writer's either: it is written behind the one
/// that was there before its writer made sure to be that.
struct JetStreamSnapshots: Sendable {
    private let jetStream: any LogService
    private let layout: JetStreamLayout

    init(_ jetStream: any LogService, _ layout: JetStreamLayout) {
        self.jetStream = jetStream
        self.layout = layout
    }

    /// What is known of a snapshot without reading it.
    private struct Manifest {
        /// The id of its pieces.
        var pieces: String
        /// How many they are.
        var count: Int
        var offset: UInt64
        var version: UInt64
        var size: Int
        var digest: String
        /// The checksum in the log; nil of the beginning, and in those of earlier versions.
        var log: String?

        var text: [UInt8] {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("pieces", pieces)
            writer.member("count", count)
            writer.member("offset", offset)
            writer.member("version", version)
            writer.member("size", size)
            writer.member("sha256", digest)
            if let log { writer.member("log", log) }
            writer.endObject()
            return writer.bytes
        }
    }

    /// How many bytes a piece has at most.
    private static let pieceBytes = 256 << 10

    /// - Parameters:
    ///   - writing: runs what it is given while this process writes the room, and throws if it
    ///     doesn't any more: so nobody who was replaced replaces what the writer has kept.
    /// - Returns: the number of the first message of it.
    @discardableResult func save(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        writing: (
            _ body: @escaping @Sendable () async throws(JournalError) -> String?
        ) async throws(JournalError) -> String?
    ) async throws(JournalError) -> UInt64 {
        let bytes: [UInt8]
        do {
            // It may take long: not on the loop of NATS.
            bytes = try await Task.detached(executorPreference: jetStream.tasks) {
                try content()
            }.value
        } catch {
            throw .unfit(place: 0, "\(error)")
        }
        let subject = layout.manifests(of: room) + "\(offset)"
        let old: JetStream.Kept?
        do throws(NATSError) {
            old = try await jetStream.last(of: subject, in: layout.snapshotStream)
        } catch {
            throw .unavailable(error.description)
        }
        // Behind what is there: whoever becomes the writer later finds this, or this is refused.
        let log = try await writing { () throws(JournalError) in
            offset == 0 ? nil : try await checksum(of: room, at: offset)
        }
        let size = min(Self.pieceBytes, layout.mostBytes, await jetStream.mostBytes)
        var random = SystemRandomNumberGenerator()
        let manifest = Manifest(
            pieces: randomID(using: &random), count: (bytes.count + size - 1) / size,
            offset: offset, version: version, size: bytes.count, digest: Self.digest(bytes),
            log: log)
        let pieces = layout.pieces(of: room, manifest.pieces)
        var first: UInt64?
        do throws(NATSError) {
            do throws(NATSError) {
                for start in stride(from: 0, to: bytes.count, by: size) {
                    let piece = Array(bytes[start..<min(bytes.count, start + size)])
                    let number = try await write(piece, to: pieces)
                    first = first ?? number
                }
                let number = try await write(
                    manifest.text, to: subject, behind: old?.sequence ?? 0)
                first = first ?? number
            } catch {
                // Nobody will ask for those that are there, unless the manifest is.
                if case .unanswered = error { throw error }
                try? await purge(pieces)
                throw error
            }
            if let old = old.flatMap({ Self.manifest($0.payload) }) {
                try await purge(layout.pieces(of: room, old.pieces))
            }
        } catch {
            throw .unavailable(error.description)
        }
        return first ?? 0
    }

    /// Removes pieces without a manifest, which a process has left that ended as it wrote them.
    ///
    /// Somebody may still be writing them who was replaced, and doesn't know yet. If his manifest
    /// is kept, it is passed over, as its pieces aren't all there; and nobody needs it: the
    /// snapshot that the writer has just kept is of a later entry, or of the same.
    ///
    /// - Parameters:
    ///   - number: that of the first message of that snapshot.
    ///   - fence: proves that this process still writes the room, and throws if it doesn't. So
    ///     whoever takes it over from now on writes what has higher numbers, and loses nothing,
    ///     however late NATS does this.
    func removeUnfinished(
        of room: String, below number: UInt64, fence: () async throws(JournalError) -> Void
    ) async throws(JournalError) {
        let prefix = layout.pieces(of: room, "")
        do throws(NATSError) {
            // Before the manifests: one that is written meanwhile is found.
            var left = Set(
                try await jetStream.subjects(prefix + "*", of: layout.snapshotStream)
                    .map { ExactString($0) })
            let manifests = try await manifestSubjects(of: room)
            guard left.count > manifests.count else { return }
            for subject in manifests {
                let kept = try await jetStream.last(of: subject, in: layout.snapshotStream)
                // Of what can't be read nobody knows which pieces it has.
                guard let manifest = kept.flatMap({ Self.manifest($0.payload) }) else { return }
                left.remove(ExactString(prefix + manifest.pieces))
            }
            if left.isEmpty { return }
            do throws(JournalError) { try await fence() } catch {
                throw .unavailable("\(error)")
            }
            for subject in left.sorted() {
                try await jetStream.purge(
                    subject.string, of: layout.snapshotStream, below: number)
            }
        } catch {
            throw .unavailable(error.description)
        }
    }

    /// The newest one at or below an offset that is as it was written.
    func newest(
        of room: String, through offset: UInt64
    ) async throws(JournalError) -> JournalSnapshot? {
        for place in try await offsets(of: room).reversed() where place <= offset {
            if let snapshot = try await read(of: room, at: place) { return snapshot }
        }
        return nil
    }

    /// Whether one at or above an offset, and not above the log's head, is as it was written.
    func holds(
        _ offset: UInt64, of room: String, head: UInt64
    ) async throws(JournalError) -> Bool {
        for place in try await offsets(of: room).reversed()
        where place >= offset && place <= head {
            if try await read(of: room, at: place) != nil { return true }
        }
        return false
    }

    /// Removes those before the newest one at or below an offset.
    func forget(of room: String, through offset: UInt64) async throws(JournalError) {
        let below = try await offsets(of: room).filter { $0 <= offset }
        do throws(NATSError) {
            for place in below.dropLast() { try await remove(of: room, at: place) }
        } catch {
            throw .unavailable(error.description)
        }
    }

    /// The number of the newest message of them; 0 if there is none.
    func lastNumber(of room: String) async throws(JournalError) -> UInt64 {
        do throws(NATSError) {
            return try await jetStream.last(
                of: layout.snapshots(of: room), in: layout.snapshotStream)?.sequence ?? 0
        } catch {
            throw .unavailable(error.description)
        }
    }

    /// Removes all of them up to a number: however late, nothing that was written since.
    func forgetAll(of room: String, through number: UInt64) async throws(JournalError) {
        do throws(NATSError) {
            try await jetStream.purge(
                layout.snapshots(of: room), of: layout.snapshotStream, below: number + 1)
        } catch {
            throw .unavailable(error.description)
        }
    }

    private func remove(of room: String, at offset: UInt64) async throws(NATSError) {
        let old = try await manifest(of: room, at: offset)
        try await purge(layout.manifests(of: room) + "\(offset)")
        if let old { try await purge(layout.pieces(of: room, old.pieces)) }
    }

    // MARK: What is there

    /// Of all snapshots, in order.
    func offsets(of room: String) async throws(JournalError) -> [UInt64] {
        let prefix = layout.manifests(of: room)
        do throws(NATSError) {
            return try await manifestSubjects(of: room)
                .compactMap { UInt64($0.dropFirst(prefix.utf8.count)) }.sorted()
        } catch {
            throw .unavailable(error.description)
        }
    }

    private func manifestSubjects(of room: String) async throws(NATSError) -> [String] {
        try await jetStream.subjects(
            layout.manifests(of: room) + "*", of: layout.snapshotStream)
    }

    private func manifest(
        of room: String, at offset: UInt64
    ) async throws(NATSError) -> Manifest? {
        try await jetStream.last(
            of: layout.manifests(of: room) + "\(offset)", in: layout.snapshotStream
        )
        .flatMap { Self.manifest($0.payload) }
    }

    private static func manifest(_ text: [UInt8]) -> Manifest? {
        guard let root = try? JSONDocument(text).root, let pieces = root["pieces"]?.string,
            let offset = root["offset"]?.uint64, let version = root["version"]?.uint64,
            let size = root["size"]?.int, let digest = root["sha256"]?.string
        else { return nil }
        return Manifest(
            pieces: pieces, count: root["count"]?.int ?? 0, offset: offset, version: version,
            size: size, digest: digest, log: root["log"]?.string)
    }

    /// That of the message in the log with the entry at an offset, and of a beginning that was
    /// imported that of the first message, as a text; nil if another message is in its place.
    private func checksum(
        of room: String, at offset: UInt64
    ) async throws(JournalError) -> String? {
        let sequence = LogOffset(offset).sequence
        for attempt in 0..<Self.mostWaits {
            // A server of the stream may have answered that doesn't have everything yet.
            if attempt > 0 { await jetStream.pause(Self.pause) }
            let found: [JetStream.Kept]
            do throws(NATSError) {
                found = try await jetStream.page(
                    of: layout.subject(of: room), in: layout.stream(of: room),
                    from: max(1, sequence), count: 1
                ).messages
            } catch {
                throw .unavailable(error.description)
            }
            guard let message = found.first else { continue }
            guard sequence == 0 || message.sequence == sequence else { return nil }
            return String(try LogMessage(message).state.checksum, radix: 16)
        }
        throw .unavailable("NATS doesn't have what the log of '\(room)' has at \(offset).")
    }

    /// About a second.
    private static let mostWaits = 20
    private static let pause = Duration.milliseconds(50)

    /// Nil if it isn't as it was written, or not of the log as that is now.
    func read(
        of room: String, at offset: UInt64
    ) async throws(JournalError) -> JournalSnapshot? {
        let found: (manifest: Manifest, content: [UInt8])?
        do throws(NATSError) { found = try await content(of: room, at: offset) } catch {
            throw .unavailable(error.description)
        }
        guard let (manifest, content) = found, Self.digest(content) == manifest.digest else {
            return nil
        }
        if let log = manifest.log, try await checksum(of: room, at: offset) != log { return nil }
        return JournalSnapshot(offset: offset, version: manifest.version, content: content)
    }

    private func content(
        of room: String, at offset: UInt64
    ) async throws(NATSError) -> (manifest: Manifest, content: [UInt8])? {
        while let manifest = try await manifest(of: room, at: offset), manifest.offset == offset {
            if let bytes = try await pieces(of: room, manifest) { return (manifest, bytes) }
            // Another has taken its place meanwhile, or they can't be read now.
            guard try await self.manifest(of: room, at: offset)?.pieces != manifest.pieces else {
                guard try await isWhole(manifest, of: room) else { return nil }
                throw .unavailable(
                    "NATS doesn't have all of the snapshot of '\(room)' at \(offset).")
            }
        }
        return nil
    }

    /// Nil if some of them aren't there.
    private func pieces(
        of room: String, _ manifest: Manifest
    ) async throws(NATSError) -> [UInt8]? {
        let subject = layout.pieces(of: room, manifest.pieces)
        var bytes: [UInt8] = []
        var next: UInt64 = 1
        var waits = 0
        while bytes.count < manifest.size {
            let page = try await jetStream.page(
                of: subject, in: layout.snapshotStream, from: next)
            for piece in page.messages { bytes += piece.payload }
            if let last = page.messages.last {
                next = last.sequence + 1
            } else if waits < 20, try await isWhole(manifest, of: room) {
                // A server of the stream answered that doesn't have everything yet.
                waits += 1
                await jetStream.pause(.milliseconds(50))
            } else {
                return nil
            }
        }
        return bytes
    }

    /// Whether all pieces are there, as the stream's leader knows.
    private func isWhole(_ manifest: Manifest, of room: String) async throws(NATSError) -> Bool {
        let subject = layout.pieces(of: room, manifest.pieces)
        return try await jetStream.count(of: subject, in: layout.snapshotStream) >= manifest.count
    }

    /// - Returns: the number of the message.
    @discardableResult private func write(
        _ payload: [UInt8], to subject: String, behind expected: UInt64? = nil
    ) async throws(NATSError) -> UInt64 {
        let written = await jetStream.write(
            payload, to: subject, headers: NATSHeaders(), behind: expected)
        switch written {
        case .kept(let number): return number
        case .notAtEnd: throw .unavailable("Another snapshot was written at that moment.")
        case .busy(let text), .refused(let text): throw .unavailable(text)
        case .unknown(let text): throw .unanswered(text)
        }
    }

    private func purge(_ subject: String) async throws(NATSError) {
        try await jetStream.purge(subject, of: layout.snapshotStream)
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        Base64.text(of: SHA256.digest(of: bytes))
    }
}
