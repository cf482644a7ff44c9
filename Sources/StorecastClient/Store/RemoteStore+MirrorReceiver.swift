import Observation
import StorecastMirror
import StorecastSync
import Synchronization

extension RemoteStore: MirrorReceiver {
    var isOptimistic: Bool { optimistic != nil }

    func take(_ update: (any Sendable)?, _ pending: PendingActions?) {
        let update = (update as? MirrorUpdate<State>).map(keepingState)
        optimistic?.take(update.map { ($0.state, $0.included) }, pending)
        let old = current
        let new = update ?? old
        if new.problem != old.problem { registrar.willSet(self, keyPath: \.problem) }
        if new.position != old.position { registrar.willSet(self, keyPath: \.position) }
        if new.isLive != old.isLive { registrar.willSet(self, keyPath: \.isLive) }
        current = new
        setShown()
        if new.problem != old.problem { registrar.didSet(self, keyPath: \.problem) }
        if new.position != old.position { registrar.didSet(self, keyPath: \.position) }
        if new.isLive != old.isLive { registrar.didSet(self, keyPath: \.isLive) }
    }

    /// When the server stops sending, the last state stays.
    private func keepingState(_ update: MirrorUpdate<State>) -> MirrorUpdate<State> {
        var update = update
        if update.problem != nil, update.state == nil { update.state = current.state }
        return update
    }

    /// Shows an action that was dispatched through this store, and notifies.
    func show(_ action: PendingAction) {
        guard isOptimistic else { return }
        optimistic?.show(action)
        setShown()
        announce()
    }

    /// Brings the shown state up to date, and tells Observation.
    private func setShown() {
        let new = optimistic.map(\.value) ?? current.state
        guard new != shown else { return }
        registrar.withMutation(of: self, keyPath: \.state) { shown = new }
        isChanged = true
    }

    func announce() {
        guard isChanged, let shown else { return }
        isChanged = false
        followers.yield(shown)
        subscriptions.notify(shown)
    }
}

/// Decodes what a mirror holds: of a patched value what the patch touched, and nothing of one that
/// hasn't changed.
///
/// Belongs to the connection, as the mirror does.
final class MirrorReader<State: Decodable & Sendable> {
    private let memory = TableMemory()
    /// The mirror's revision that was decoded last.
    private var revision: UInt64?
    private var last: Result<State, Rejection>?

    func read(_ mirror: Mirror) -> MirrorUpdate<State> {
        var update = MirrorUpdate<State>()
        update.position = mirror.position
        update.included = mirror.included
        update.problem = mirror.failure
        update.isLive = mirror.isLive
        switch value(of: mirror) {
        case .success(let state)?: update.state = state
        case .failure(let problem)?: (update.problem, update.isLive) = (problem, false)
        case nil: break
        }
        return update
    }

    private func value(of mirror: Mirror) -> Result<State, Rejection>? {
        guard let value = mirror.value else { return nil }
        if mirror.revision == revision { return last }
        if let revision, mirror.revision == revision + 1, let patch = mirror.lastPatch {
            memory.note(patch)
        } else {
            memory.forget()
        }
        revision = mirror.revision
        last = Result { try memory.decode(State.self, from: value) }.mapError { error in
            Rejection(
                .invalid, "The selection's value can't be read as \(State.self).",
                detail: "\(error)")
        }
        return last
    }
}

/// A mirror's value and position, decoded.
struct MirrorUpdate<State: Sendable>: Sendable {
    var state: State?
    /// The last of the client's dispatches whose effects are in the state.
    var included: UInt64 = 0
    var position: Position?
    var problem: Rejection?
    /// Whether the server keeps it up to date.
    var isLive = false
}

/// The readers of a store's `states`.
final class Followers<State: Sendable>: Sendable {
    private struct Readers {
        var continuations: [Int: AsyncStream<State>.Continuation] = [:]
        var count = 0
    }

    private let readers = Mutex(Readers())

    deinit {
        for continuation in readers.withLock({ $0.continuations.values }) { continuation.finish() }
    }

    func follow(from state: State?) -> AsyncStream<State> {
        let (stream, continuation) = AsyncStream<State>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        if let state { continuation.yield(state) }
        let number = readers.withLock { readers in
            readers.count += 1
            readers.continuations[readers.count] = continuation
            return readers.count
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.readers.withLock { $0.continuations.removeValue(forKey: number) }
        }
        return stream
    }

    func yield(_ state: State) {
        for continuation in readers.withLock({ Array($0.continuations.values) }) {
            continuation.yield(state)
        }
    }
}
