package import StorecastSync
package import StorecastWire

/// All subscriptions to one selection with equal parameters (and one viewer, if it depends on
/// whom): evaluated, compared and encoded once for all of them.
///
/// It holds a bounded run of patches that lead to the value, and the messages made of them, which
/// every connection shares. Nothing is kept per connection but its position.
package final class SelectionGroup {
    package let key: GroupKey
    /// The group's number in its room, never used again.
    package let sub: UInt64
    /// Stands for the selection, its parameters and viewer in a resume point.
    package let tag: String
    /// The room's version at which the value last changed; while nothing did, at which the group
    /// was made.
    // Unchecked, as what connections read for each message; no access calls other code.
    @exclusivity(unchecked) package private(set) var version: UInt64
    /// The one before that.
    @exclusivity(unchecked) fileprivate private(set) var previous: UInt64
    /// The size of the value's JSON text in bytes.
    @exclusivity(unchecked) package private(set) var size: Int
    package private(set) var subscriptions: [ServerSubscription] = []
    /// Those of an edge's clients: the edge sends them the value, of which it has a subscription.
    private(set) var passedOn: [ServerSubscription] = []
    /// Whether the value was told to have changed, and isn't at the room's version yet: what it
    /// is takes a later turn. None of its connections is sent anything until then.
    @exclusivity(unchecked) var isBehind = false
    /// Told what the group costs; nil before it is in use.
    private(set) var meter: SelectionMeter?

    /// Whether the value may have been another between ``version`` and now, while the group had no
    /// subscriptions.
    @exclusivity(unchecked) private(set) var hasGap = false
    private let source: any ValueSource
    private var history: PatchHistory
    @exclusivity(unchecked) private(set) var snapshot: ServerMessage?
    /// By the version that they start from. Clients that resume choose it, so at most `patchLimit`
    /// bytes are kept, or one patch; beyond that, all are dropped and made again when needed.
    private var patches: [UInt64: ServerMessage] = [:]
    /// The one that was asked for last: nearly all connections are at one version.
    @exclusivity(unchecked) private var latest: (from: UInt64, patch: ServerMessage)?
    private(set) var patchBytes = 0
    private let patchLimit: Int
    private let recent: RecentSnapshots
    /// What connections are being sent in parts; freed when the last of them has it all.
    private(set) weak var underway: ServerMessage?
    /// The version of the value in that.
    private var underwayVersion: UInt64 = 0

    /// A group with the value that its source has. Throws what the value's `encode(to:)` throws.
    package init(
        key: GroupKey, sub: UInt64, tag: String, source: any ValueSource, version: UInt64,
        historyBytes: Int, recent: RecentSnapshots
    ) throws {
        self.key = key
        self.sub = sub
        self.tag = tag
        self.source = source
        self.version = version
        previous = version
        let (snapshot, size) = try ServerMessage.snapshot(
            sub: sub, version: version, size: 512, source.write)
        self.snapshot = snapshot
        self.size = size
        patchLimit = historyBytes
        history = PatchHistory(limit: historyBytes)
        self.recent = recent
        recent.note(self, snapshot.frameSize)
    }

    /// Notes that the source's value has changed, as of `version`, and queues every subscription
    /// for it; not for a number that only has another text.
    ///
    /// - Parameter known: the last version at which the value was known to be the one before.
    package func update(_ change: ValueChange, at version: UInt64, known: UInt64 = .max) {
        size += change.growth
        guard !change.patch.isEmpty else { return }
        history.append(change.patch, from: self.version, until: known, snapshotSize: size)
        previous = self.version
        self.version = version
        hasGap = false
        snapshot = nil
        forgetPatches()
        // Of a thousand, each is touched once: without counting references to them.
        subscriptions.withUnsafeBufferPointer {
            for subscription in $0 { subscription.subscriber.queue(subscription) }
        }
    }

    /// The smallest message that brings a connection from `position` to the value: the patches
    /// since then in one, or the snapshot. Throws what the value's `encode(to:)` throws.
    fileprivate func message(from position: UInt64?) throws -> ServerMessage {
        guard let position else { return try snapshotMessage() }
        if let latest, latest.from == position { return latest.patch }
        if let patch = patches[position] {
            latest = (position, patch)
            return patch
        }
        guard let operations = history.operations(since: position, smallerThan: size) else {
            return try snapshotMessage()
        }
        let patch = ServerMessage.patch(
            sub: sub, from: position, version: version, operations: operations)
        meter?.encoded(patch.frameSize)
        if patchBytes + patch.frameSize > patchLimit { forgetPatches() }
        patches[position] = patch
        latest = (position, patch)
        patchBytes += patch.frameSize
        return patch
    }

    /// Whether a snapshot is what brings a connection from `position` to the value. O(log n).
    func needsSnapshot(from position: UInt64?) -> Bool {
        guard let position else { return true }
        guard position != version else { return false }
        return history.size(since: position).map { $0 >= size } ?? true
    }

    /// Whether a connection at `position` is to be sent a large value that isn't encoded yet.
    func needsEncoding(from position: UInt64?) -> Bool {
        isLarge && snapshot == nil && needsSnapshot(from: position)
    }

    /// Whether it is worth asking what the value takes.
    var isLarge: Bool { size > 16 << 10 }

    /// The value to send in parts, to which patches lead behind them: that which others are being
    /// sent, if few have followed it. Throws what the value's `encode(to:)` throws.
    ///
    /// So however often the value changes while many connections come, few are the times that it is
    /// encoded and the texts that are in memory.
    fileprivate func parts() throws -> OutgoingParts {
        if let underway, underwayVersion == version || leadsFar(from: underwayVersion) {
            return OutgoingParts(of: underway, sub: sub, version: underwayVersion)
        }
        let message = try snapshotMessage()
        (underway, underwayVersion) = (message, version)
        return OutgoingParts(of: message, sub: sub, version: version)
    }

    /// Whether the patches from a version to now take less than half of what is kept, so that they
    /// are likely to be there still when a value was sent.
    private func leadsFar(from version: UInt64) -> Bool {
        history.size(since: version).map { $0 < min(patchLimit, size) / 2 } ?? false
    }

    /// The version under which the group knows the value of the room's version `position`: that of
    /// its last change up to there. Nil if it is forgotten, or from before the group was made.
    ///
    /// A client was told `position` at the end of a turn, and so knows the value as the group does.
    package func resumption(at position: UInt64) -> UInt64? {
        position >= version ? version : history.start(of: position)
    }

    /// What it costs to keep the group without subscribers, about, in bytes.
    var idleSize: Int { size + history.size }

    /// Somebody comes back to it at a later version, and the value is the same as it was.
    func resume() { hasGap = true }

    /// Tells from now on what it costs, and what its first message took.
    func measure(by meter: SelectionMeter) {
        self.meter = meter
        if let snapshot { meter.encoded(snapshot.frameSize) }
    }

    /// Lets go of the messages, which can be made again.
    func rest() {
        snapshot = nil
        forgetPatches()
    }

    /// Lets go of a version's snapshot.
    func forgetSnapshot(of version: UInt64) {
        if self.version == version { snapshot = nil }
    }

    /// Whether nobody has it.
    package var isUnused: Bool { subscriptions.isEmpty && passedOn.isEmpty }

    /// How many have it as a rule has let them.
    var viewerCount: Int { subscriptions.count { !$0.isMirror } + passedOn.count }

    package func add(_ subscription: ServerSubscription) {
        if subscription.isPassedOn { return Self.add(subscription, to: &passedOn) }
        Self.add(subscription, to: &subscriptions)
    }

    package func remove(_ subscription: ServerSubscription) {
        if subscription.isPassedOn { return Self.remove(subscription, from: &passedOn) }
        Self.remove(subscription, from: &subscriptions)
    }

    private static func add(_ subscription: ServerSubscription, to list: inout [ServerSubscription])
    {
        subscription.index = list.count
        list.append(subscription)
    }

    private static func remove(
        _ subscription: ServerSubscription, from list: inout [ServerSubscription]
    ) {
        let last = list.removeLast()
        guard last !== subscription else { return }
        last.index = subscription.index
        list[last.index] = last
    }

    private func forgetPatches() {
        latest = nil
        patches.removeAll(keepingCapacity: true)
        patchBytes = 0
    }

    /// The value with the patches that have led to it, for an edge, which sends them to its clients.
    fileprivate func mirrorMessage() throws -> ServerMessage {
        let message = try snapshotMessage()
        return history.size > 0 ? message.with(history: history.patches) : message
    }

    /// Takes over what had led to the value elsewhere: each patch with the version that it applies to.
    func restore(_ patches: [(from: UInt64, patch: JSONPatch)]) {
        for (from, patch) in patches { history.append(patch, from: from, snapshotSize: size) }
        if let last = patches.last { previous = last.from }
    }

    private func snapshotMessage() throws -> ServerMessage {
        if let snapshot { return snapshot }
        let (message, exactly) = try ServerMessage.snapshot(
            sub: sub, version: version, size: size, source.write)
        size = exactly
        snapshot = message
        recent.note(self, message.frameSize)
        meter?.encoded(message.frameSize)
        return message
    }
}

// What is sent of a group is made for whom its rule has let have it.
extension Permitted<SelectionGroup> {
    /// The smallest message that brings a connection from `position` to the value: the patches
    /// since then in one, or the snapshot. Throws what the value's `encode(to:)` throws.
    package func message(from position: UInt64?) throws -> ServerMessage {
        try value.message(from: position)
    }

    /// The value with the patches that have led to it. Throws what its `encode(to:)` throws.
    func mirrorMessage() throws -> ServerMessage { try value.mirrorMessage() }

    /// The value to send in parts. Throws what its `encode(to:)` throws.
    func parts() throws -> OutgoingParts { try value.parts() }
}

/// What subscriptions belong to: a session.
package protocol SelectionSubscriber: AnyObject {
    /// Who sees the value.
    var identity: Identity { get }
    /// The subscription's value changed, or it wants its first: it is asked for its next message
    /// when the connection can take one.
    func queue(_ subscription: ServerSubscription)
    /// The selection can't be had any more, for the reason that `code` names.
    func lapse(_ subscription: ServerSubscription, _ code: String)
    /// The group isn't behind any more.
    func caughtUp()
    /// The value of one of its groups is the same at `version` as when it was left behind, but may
    /// have been another in between.
    func skipped(to version: UInt64)
}

/// One connection's interest in one selection group.
package final class ServerSubscription {
    /// Strong, as it is used for each message; it lets go of its subscriptions when it ends.
    let subscriber: any SelectionSubscriber
    let permitted: Permitted<SelectionGroup>
    /// Whether it is an edge's own, for its clients.
    var isMirror = false
    /// Whether it is that of an edge's client, which has the values from the edge.
    var isPassedOn = false
    /// The client's names for it; two refs may share one subscription.
    var refs: [UInt64] = []
    /// The version of the value that the connection was last sent; nil before the first.
    var position: UInt64?
    /// Answer with `current` if there is nothing to send.
    var wantsCurrent = false
    /// What is left of a value that the connection is sent in parts, before its first message.
    private(set) var parts: OutgoingParts?
    /// Whether there were parts. If no patch leads on from them, as too much has changed meanwhile,
    /// the value is sent whole, or a connection might never get there.
    private var hadParts = false
    /// Whether the connection was sent its first message.
    private(set) var isLive = false
    /// In the session's queue.
    var isQueued = false
    /// Out of its group.
    var isDropped = false
    /// What its parameters take, in bytes of JSON text.
    var parameterBytes = 0
    /// Its place in the group.
    var index = 0

    package init(of subscriber: any SelectionSubscriber, _ permitted: Permitted<SelectionGroup>) {
        self.subscriber = subscriber
        self.permitted = permitted
    }

    package var group: SelectionGroup { permitted.value }

    /// Whether the value may have been another between the first message's version and now: other
    /// mirrors of the connection may be at a later version already.
    var beginsWithGap: Bool { parts == nil && group.hasGap }

    /// Whether the next message stands for several changes.
    var isConflated: Bool {
        position.map { $0 != group.version && $0 != group.previous } ?? false
    }

    /// Whether it is the whole value that brings the connection to the group's. O(log n).
    var needsSnapshot: Bool { group.needsSnapshot(from: position) }

    /// Begins to send the value in parts, before the first message, if it is larger than `size`;
    /// false otherwise. Throws what the value's `encode(to:)` throws.
    func beginParts(above size: Int) throws -> Bool {
        guard !hadParts, group.size > size, group.needsSnapshot(from: position)
        else { return false }
        parts = try permitted.parts()
        hadParts = true
        return true
    }

    /// The next part, of `size` bytes. Behind the last the connection is at the version of what it
    /// was sent, as if it had come with it.
    func nextPart(_ size: Int) -> ServerMessage? {
        guard let message = parts?.next(size) else { return nil }
        if let parts, parts.isComplete {
            self.parts = nil
            position = parts.version
            wantsCurrent = true
        }
        return message
    }

    /// What is left isn't sent.
    func endParts() { parts = nil }

    /// What brings the connection to the group's value now, or nil. Throws what the value's
    /// `encode(to:)` throws.
    func nextMessage() throws -> ServerMessage? {
        guard isLive || parts == nil else { return nil }
        defer {
            position = group.version
            wantsCurrent = false
            isLive = true
        }
        if isMirror, position == nil { return try permitted.mirrorMessage() }
        if position != group.version { return try permitted.message(from: position) }
        return wantsCurrent
            ? .current(sub: group.sub, version: group.version) : nil
    }
}
