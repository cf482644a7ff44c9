import StorecastSync
import StorecastWire

/// What a client keeps of its mirrors for its next start: values as the server sent them, each with
/// the version at which it is known to be right, and where the client was in the room's history.
///
/// All of it is of one history. The next session says in its `hello` where this one was, and in
/// which term; if the server goes on in that epoch, every value is a part of its history, however
/// long ago it was kept. Belongs to its session.
package final class MirrorCache {
    /// Whose values these are.
    package struct Home: Sendable {
        /// The path of the room.
        let room: String
        /// Tells the person who sees them from all others.
        let viewer: String
        /// The client's id.
        let client: String

        package init(room: String, viewer: String, client: String) {
            self.room = room
            self.viewer = viewer
            self.client = client
        }
    }

    struct Key: Hashable {
        let selection: ExactString
        let parameters: JSON?

        init(_ selection: String, _ parameters: JSON?) {
            self.selection = ExactString(selection)
            self.parameters = parameters
        }

        init(_ mirror: Mirror) { self.init(mirror.selection, mirror.parameters) }
    }

    struct Entry {
        /// The newest position at which the value is known to be right.
        var position: Position
        /// The version at which it last changed, which names the value within its epoch.
        let since: UInt64
        let tag: String
        /// The last of the client's dispatches that is in it.
        var included: UInt64
        /// The value's JSON text.
        let text: ArraySlice<UInt8>
        /// That of the text.
        let checksum: UInt32
        /// Higher if it was mirrored later.
        var used: UInt64
    }

    /// Where the client was, and in which term; nil if nothing was kept.
    let start: (position: Position, term: String?)?
    var entries: [Key: Entry]

    private let home: Home
    private let limits: CacheLimits
    private let storage: any MirrorStorage
    private let sealing: MirrorSealing
    /// What was mirrored last has this number.
    private var uses: UInt64
    /// The bytes of the last text.
    private var size = 0
    private var saved: Position?
    private var isChanged = false
    private var isEnded = false

    /// Reads what was kept; what can't be opened or read, or is somebody else's, is as if it weren't
    /// there.
    package init(
        _ home: Home, limits: CacheLimits, in storage: any MirrorStorage,
        sealing: MirrorSealing = MirrorSealing()
    ) {
        self.home = home
        self.limits = limits
        self.storage = storage
        self.sealing = sealing
        // Room for the index's beginning, and for what a cipher adds.
        let most = limits.bytes + 64 << 10
        let opened = storage.read(atMost: most).flatMap { text in
            guard let open = sealing.open else { return text }
            return try? open(text)
        }
        let kept = opened.flatMap { $0.count > most ? nil : KeptMirrors(reading: $0, home) }
        start = kept?.start
        entries = kept?.entries ?? [:]
        uses = UInt64(entries.count)
        size = opened?.count ?? 0
        saved = start?.position
        trim()
    }

    // MARK: Mirrors

    /// Gives a new mirror what was kept of it.
    ///
    /// - Parameters:
    ///   - epoch: that of the connection; nil before the first welcome.
    func restore(_ mirror: Mirror, in epoch: String?) {
        let key = Key(mirror)
        guard !isEnded, let entry = entries[key],
            epoch.map(entry.position.epoch.isSameText) != false
        else { return }
        guard CRC32.checksum(of: entry.text) == entry.checksum,
            let document = try? JSONDocument(entry.text, limits: KeptMirrors.limits)
        else {
            entries[key] = nil
            return
        }
        // Beside what the server has sent, it is shown when the server has confirmed it.
        mirror.restore(
            Mirror.Content(
                value: document.root.json, position: entry.position, since: entry.since,
                tag: entry.tag, included: entry.included),
            isShown: epoch == nil)
    }

    /// Takes what a mirror holds.
    func keep(_ mirror: Mirror) {
        guard !isEnded else { return }
        let key = Key(mirror)
        guard !mirror.isForbidden else {
            entries[key] = nil
            return
        }
        guard let content = mirror.content else { return }
        uses += 1
        // The same version of the same history stands for the same value.
        if var known = entries[key], known.since == content.since,
            known.position.epoch.isSameText(as: content.position.epoch),
            known.tag.isSameText(as: content.tag)
        {
            known.position = content.position
            known.included = content.included
            known.used = uses
            entries[key] = known
            return
        }
        entries[key] = nil
        guard content.value.encodedSize(upTo: limits.selectionBytes + 1) <= limits.selectionBytes
        else { return }
        var writer = JSONWriter()
        writer.write(content.value)
        entries[key] = Entry(
            position: content.position, since: content.since, tag: content.tag,
            included: content.included, text: writer.bytes[...],
            checksum: CRC32.checksum(of: writer.bytes), used: uses)
    }

    // MARK: Saving

    /// Something has moved.
    func noteChange() { isChanged = true }

    /// The client may not come further than `position`, for a long time.
    func noteStandstill(at position: Position?) {
        if let position, position != saved { isChanged = true }
    }

    /// After which time it should be saved; nil if nothing is new.
    var delay: Duration? {
        guard isChanged, !isEnded else { return nil }
        // The first values soon, as the next start would show nothing.
        if saved == nil { return min(limits.interval, .seconds(1)) }
        return limits.interval + .seconds(size >> 18)
    }

    /// Stores what the mirrors hold, if something is new; tried again with the next change if it
    /// can't be stored.
    func save(_ mirrors: [Mirror], at position: Position?, in term: String?) {
        guard isChanged, !isEnded, let position else { return }
        for mirror in mirrors { keep(mirror) }
        entries = entries.filter { $0.value.position.epoch.isSameText(as: position.epoch) }
        trim()
        do {
            let text = KeptMirrors.text(of: entries, at: position, in: term, home)
            try storage.replace(with: sealing.seal.map { seal in try seal(text) } ?? text)
            (size, saved, isChanged) = (text.count, position, false)
        } catch {}
    }

    /// Takes everything away, and keeps nothing from now on.
    func wipe() throws(Rejection) {
        isEnded = true
        entries = [:]
        try storage.remove()
    }

    /// Lets go of what wasn't mirrored for the longest time, until the rest fits.
    private func trim() {
        var bytes = entries.reduce(0) { $0 + KeptMirrors.size(of: $1.value, $1.key) }
        guard bytes > limits.bytes else { return }
        for (key, entry) in entries.sorted(by: { $0.value.used < $1.value.used })
        where bytes > limits.bytes {
            bytes -= KeptMirrors.size(of: entry, key)
            entries[key] = nil
        }
    }
}
