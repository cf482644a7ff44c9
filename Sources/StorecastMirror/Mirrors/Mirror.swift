package import StorecastSync
package import StorecastWire

/// A client's copy of one selection with its parameters.
///
/// It moves only from one true value to a later one: a patch that doesn't apply exactly asks for a
/// snapshot instead. Belongs to its session.
package final class Mirror {
    /// What it takes to go on from a value.
    struct Content {
        let value: JSON
        /// The newest position at which the value is known to be right.
        let position: Position
        /// The version at which it last changed, which names it within its epoch.
        let since: UInt64
        let tag: String
        /// The last of the client's dispatches that is in it.
        let included: UInt64
    }

    package let selection: String
    package let parameters: JSON?
    /// The value; nil before the first snapshot, and as long as one from a cache isn't to be shown.
    package var value: JSON? { isHidden ? nil : held }
    /// Counts the changes of ``value``.
    package private(set) var revision: UInt64 = 0
    /// What the last change of ``value`` did, without the new values; nil if it wasn't a patch.
    package private(set) var lastPatch: JSONPatch?
    /// The newest position at which ``value`` is known to be the selection's value.
    package private(set) var position: Position?
    /// Why the server sends nothing.
    package private(set) var failure: Rejection?
    /// Whether the viewer may not see it any more, whatever failed since.
    private(set) var isForbidden = false
    /// Called after every change of value or failure, when all mirrors of the connection have
    /// moved.
    package var observers: [UInt64: (Mirror) -> Void] = [:]

    /// The value, whether it is shown or not.
    private var held: JSON?
    /// The value is from a cache, and is shown when the server has confirmed it.
    private var isHidden = false
    var ref: UInt64 = 0
    var sub: UInt64?
    /// The last of the client's dispatches whose effects are in the value; every one above it is
    /// still to come.
    package private(set) var included: UInt64 = 0
    /// The current subscription has failed; ``failure`` may be that of one before.
    private(set) var isRefused = false
    /// The server has answered the current subscription.
    private(set) var isAnswered = false
    /// Whether the server has yet to answer to the version that this mirror has.
    private var isResuming = false
    /// Outcomes aren't told before that answer.
    var isAwaited = false
    private var tag = ""
    /// The version at which the value last changed; it is the same from there to ``position``.
    private var version: UInt64 = 0

    init(selection: String, parameters: JSON?) {
        self.selection = selection
        self.parameters = parameters
    }

    /// Calls the observers.
    func tell() {
        for observer in observers.values { observer(self) }
    }

    /// Where to go on after a reconnect.
    var resumePoint: ResumePoint? {
        guard held != nil, let position else { return nil }
        return ResumePoint(position: position, tag: tag)
    }

    /// Whether the server keeps it up to date on the connection that there is now.
    package var isLive: Bool { sub != nil && isAnswered && failure == nil }

    /// What a cache keeps; nil without a value.
    var content: Content? {
        guard let held, let position else { return nil }
        return Content(
            value: held, position: position, since: version, tag: tag, included: included)
    }

    /// Begins with what a cache has kept.
    ///
    /// - Parameter isShown: false to show it when the server has confirmed it.
    func restore(_ content: Content, isShown: Bool) {
        change(to: content.value)
        isHidden = !isShown
        (position, version) = (content.position, content.since)
        (tag, included) = (content.tag, content.included)
    }

    /// The mirror subscribes, as `ref`; the server has to answer.
    func subscribes(as ref: UInt64) {
        self.ref = ref
        sub = nil
        isRefused = false
        isAnswered = false
        isAwaited = true
        isResuming = true
    }

    func subscribed(sub: UInt64, tag: String) {
        self.sub = sub
        if !self.tag.isSameText(as: tag) { change(to: nil) }
        self.tag = tag
        failure = nil
        isForbidden = false
    }

    /// Both mirrors have one subscription: takes over the other's value, unless that is older.
    func adopt(_ other: Mirror) {
        guard let value = other.held, let position = other.position else { return }
        if let known = self.position, held != nil, known.isLater(than: position) {
            // The answer is to what the other had.
            isResuming = false
            return
        }
        change(to: value)
        isHidden = other.isHidden
        self.position = position
        version = other.version
    }

    package func fail(_ rejection: Rejection) {
        sub = nil
        isRefused = true
        failure = rejection
        if rejection.code == .forbidden { isForbidden = true }
        isAwaited = false
    }

    func take(_ snapshot: JSON, at position: Position) {
        change(to: snapshot)
        version = position.version
        reach(position)
    }

    private func change(to new: JSON?, by patch: JSONPatch? = nil) {
        held = new
        isHidden = false
        revision += 1
        lastPatch = patch
    }

    /// False if the patch isn't one to the value at hand.
    func apply(_ operations: JSONView, from: UInt64, to position: Position) -> Bool {
        guard var patched = held, let known = self.position, position.isOfSameHistory(as: known),
            // After a reconnect a server may name the value by any version that has it, another
            // server also by one from before this client had it.
            from >= version || isResuming, from <= known.version
        else { return false }
        held = nil
        let patch: JSONPatch
        do {
            patch = try JSONPatch(reading: operations)
            try patch.applySent(to: &patched)
        } catch {
            return false
        }
        // Without values: they would be held in two places, and so be copied by the next patch.
        change(to: patched, by: patch.outline)
        version = position.version
        reach(position)
        return true
    }

    /// The value held is that of `position`; patches go on from there.
    func confirm(_ position: Position) -> Bool {
        guard let held else { return false }
        if isHidden { change(to: held) }
        version = position.version
        reach(position)
        return true
    }

    /// The connection has reached `position`, and so has every mirror that is live.
    func advance(to position: Position) {
        guard isAnswered, held != nil, self.position?.isOfSameHistory(as: position) == true else {
            return
        }
        reach(position)
    }

    /// The server has settled every dispatch up to `seq`. It sends no value that is older than
    /// that, so one that was answered for has their effects.
    ///
    /// Returns whether it has more of them than before.
    @discardableResult
    func include(through seq: UInt64) -> Bool {
        guard isAnswered, included != seq else { return false }
        included = seq
        return true
    }

    /// A value that last changed at `position` may be known to be the one of a later position.
    private func reach(_ new: Position) {
        isAnswered = true
        isAwaited = false
        isResuming = false
        if let position, position.isLater(than: new) { return }
        position = new
    }
}
