import StorecastRoom
import StorecastSync
import StorecastWire

/// The snapshots of rooms at JetStream: each in pieces, and behind them its manifest, without which
/// the pieces are nothing.
struct JetStreamSnapshots: Sendable {
    private let jetStream: JetStream
    private let layout: JetStreamLayout

    init(_ jetStream: JetStream, _ layout: JetStreamLayout) {
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

        var text: [UInt8] {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("pieces", pieces)
            writer.member("count", count)
            writer.member("offset", offset)
            writer.member("version", version)
            writer.member("size", size)
            writer.member("sha256", digest)
            writer.endObject()
            return writer.bytes
        }
    }

    /// How many bytes a piece has at most.
    private static let pieceBytes = 256 << 10

    func save(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8]
    ) async throws(JournalError) {
        let bytes: [UInt8]
        do {
            // It may take long: not on the loop of NATS.
            bytes = try await Task.detached { try content() }.value
        } catch {
            throw .unfit(place: 0, "\(error)")
        }
        let size = min(Self.pieceBytes, layout.mostBytes, await jetStream.mostBytes)
        var random = SystemRandomNumberGenerator()
        let manifest = Manifest(
            pieces: randomID(using: &random), count: (bytes.count + size - 1) / size,
            offset: offset, version: version, size: bytes.count, digest: Self.digest(bytes))
        let pieces = layout.pieces(of: room, manifest.pieces)
        do throws(NATSError) {
            let old = try await self.manifest(of: room, at: offset)
            do throws(NATSError) {
                for start in stride(from: 0, to: bytes.count, by: size) {
                    let piece = Array(bytes[start..<min(bytes.count, start + size)])
                    try await write(piece, to: pieces)
                }
            } catch {
                // Nobody will ask for those that are there.
                try? await purge(pieces)
                throw error
            }
            try await write(manifest.text, to: layout.manifests(of: room) + "\(offset)")
            if let old { try await purge(layout.pieces(of: room, old.pieces)) }
        } catch {
            throw .unavailable(error.description)
        }
    }

    /// The newest one at or below an offset that is as it was written.
    func newest(
        of room: String, through offset: UInt64
    ) async throws(JournalError) -> JournalSnapshot? {
        do throws(NATSError) {
            for place in try await offsets(of: room).reversed() where place <= offset {
                if let snapshot = try await read(of: room, at: place) { return snapshot }
            }
            return nil
        } catch {
            throw .unavailable(error.description)
        }
    }

    /// Whether one at or above an offset, and not above the log's head, is as it was written.
    func holds(
        _ offset: UInt64, of room: String, head: UInt64
    ) async throws(JournalError) -> Bool {
        do throws(NATSError) {
            for place in try await offsets(of: room).reversed()
            where place >= offset && place <= head {
                if try await read(of: room, at: place) != nil { return true }
            }
            return false
        } catch {
            throw .unavailable(error.description)
        }
    }

    /// Removes those before the newest one at or below an offset.
    func forget(of room: String, through offset: UInt64) async throws(JournalError) {
        do throws(NATSError) {
            let below = try await offsets(of: room).filter { $0 <= offset }
            for place in below.dropLast() { try await remove(of: room, at: place) }
        } catch {
            throw .unavailable(error.description)
        }
    }

    /// Removes those of what the log has lost, above its head, and pieces that no manifest names, as
    /// they were left by a process that ended while it wrote them. For one that has just taken the
    /// room over.
    ///
    /// Whoever was replaced, and doesn't know yet, may be writing those pieces. Then its snapshot lacks
    /// some, and is passed over.
    func forget(of room: String, above head: UInt64) async throws(JournalError) {
        do throws(NATSError) {
            // At once: a manifest comes behind its pieces.
            var (places, pieces) = try await all(of: room)
            for place in places where place > head { try await remove(of: room, at: place) }
            places.removeAll { $0 > head }
            // Seldom: a room may have many snapshots.
            guard pieces.count > places.count else { return }
            for place in places {
                let manifest = try await manifest(of: room, at: place)
                pieces.removeAll { manifest?.pieces.isSameText(as: $0) == true }
            }
            for id in pieces { try await purge(layout.pieces(of: room, id)) }
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
    private func offsets(of room: String) async throws(NATSError) -> [UInt64] {
        try await all(of: room).offsets
    }

    /// The offsets of all snapshots, in order, and the ids of all pieces.
    private func all(
        of room: String
    ) async throws(NATSError) -> (offsets: [UInt64], pieces: [String]) {
        let subjects = try await jetStream.subjects(
            layout.snapshots(of: room), of: layout.snapshotStream)
        func names(behind prefix: String) -> [Substring] {
            subjects.filter { $0.utf8.starts(with: prefix.utf8) }
                .map { $0.dropFirst(prefix.utf8.count) }
        }
        return (
            names(behind: layout.manifests(of: room)).compactMap { UInt64($0) }.sorted(),
            names(behind: layout.pieces(of: room, "")).map { String($0) }
        )
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
            size: size, digest: digest)
    }

    /// Nil if it isn't as it was written.
    private func read(
        of room: String, at offset: UInt64
    ) async throws(NATSError) -> JournalSnapshot? {
        while let manifest = try await manifest(of: room, at: offset), manifest.offset == offset {
            if let bytes = try await pieces(of: room, manifest) {
                guard Self.digest(bytes) == manifest.digest else { return nil }
                return JournalSnapshot(
                    offset: offset, version: manifest.version, content: bytes)
            }
            // Another has taken its place meanwhile, or some were removed before they were named, or
            // they can't be read now.
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

    private func write(_ payload: [UInt8], to subject: String) async throws(NATSError) {
        let written = await jetStream.write(
            payload, to: subject, headers: NATSHeaders(), behind: nil)
        switch written {
        case .kept: break
        case .notAtEnd: throw .violation("JetStream refuses what nobody expected.")
        case .busy(let text), .refused(let text), .unknown(let text): throw .unavailable(text)
        }
    }

    private func purge(_ subject: String) async throws(NATSError) {
        try await jetStream.purge(subject, of: layout.snapshotStream)
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        Base64.text(of: SHA256.digest(of: bytes))
    }
}
