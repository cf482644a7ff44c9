/// The ordered, durable log of every room: the truth that a room's state is computed from.
///
/// A journal belongs to one event loop and isn't `Sendable`; it calls back on that loop, possibly
/// before a call returns. Offsets are above 0, rise strictly within a room and say nothing else.
package protocol Journal: AnyObject {
    /// Whether a room that left memory finds everything again that was appended: only then are
    /// snapshots taken of rooms, and idle ones unloaded. False if it isn't said.
    var isDurable: Bool { get }

    /// How many bytes the disk has left, as of a second ago; nil if there is none, or it isn't
    /// known.
    var freeBytes: Int? { get }

    /// What it knows now of the machines that keep it, and of the servers that share it; nil if it
    /// is on this one's disk or in its memory.
    var link: JournalLink? { get }

    /// Finds out which servers share its rooms, and which of them has which; nil if none do.
    func placement(completion: @escaping (Result<JournalPlacement?, JournalError>) -> Void)

    /// Finds the history of `room`, or begins one.
    func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void)

    /// The room has left memory: it is opened again before anything is appended to it.
    func close(_ room: String)

    /// Orders `batch` behind everything appended to `room` before it and makes it durable.
    ///
    /// A room has one batch in flight. `completion` is called exactly once, with the offset of the
    /// batch's last entry; those of the entries before it follow one another up to there. A batch
    /// is appended whole, in order, and at least once: after ``JournalError/unknownOutcome(_:)``
    /// the room appends it again, and it may then be there twice. The ledger passes over what comes
    /// a second time.
    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void)

    /// Whether nobody but this journal has written to `room` since it was opened here. Once it
    /// isn't so, appending fails with ``JournalError/replaced(_:)`` until the room is opened again.
    /// True if a journal is never shared; it fails if nobody can tell now.
    func isAlone(in room: String, completion: @escaping (Result<Bool, JournalError>) -> Void)

    /// Delivers the entries of `room` behind offset `after` (0 for all) in order, each once: those
    /// that are kept, in pages, then those that are appended from then on.
    ///
    /// The next page is read when `receive` has returned; pages that come later than the call are
    /// small, as the loop's other rooms wait while one is replayed. A failure is the last event;
    /// what is no longer kept is never skipped but said by ``JournalError/truncated(below:)``.
    func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail

    /// Keeps what a room had become with the entry at `offset`, and was then at `version`.
    ///
    /// `content` is called once, on a thread that isn't the loop's if the journal has one. What it
    /// throws is said by ``JournalError/unfit(place:_:)`` with place 0.
    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void)

    /// The room is about to reduce the entry at `offset`: called before each, so it takes no longer
    /// than a few stores. A journal that outlives the process knows it by that if a reducer ends
    /// it.
    ///
    /// - Parameter isNew: whether nobody was told yet what became of the entry.
    func reducing(_ offset: UInt64, of room: String, isNew: Bool)

    /// The entries that were said to be reduced have been.
    func reduced()

    /// Finds the newest snapshot of `room` at or below `offset` that is intact; nil if there is
    /// none.
    func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void)

    /// Forgets the entries of `room` up to `offset`, and older snapshots than the newest one at or
    /// below it.
    ///
    /// Nothing is forgotten that no snapshot holds: without one at or above `offset` that is kept
    /// and intact it fails with ``JournalError/unavailable(_:)``.
    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void)
}

extension Journal {
    package var isDurable: Bool { false }

    package var freeBytes: Int? { nil }

    package var link: JournalLink? { nil }

    package func placement(
        completion: @escaping (Result<JournalPlacement?, JournalError>) -> Void
    ) {
        completion(.success(nil))
    }
    package func close(_ room: String) {}

    package func isAlone(
        in room: String, completion: @escaping (Result<Bool, JournalError>) -> Void
    ) {
        completion(.success(true))
    }

    package func reducing(_ offset: UInt64, of room: String, isNew: Bool) {}

    package func reduced() {}
}

/// What a room had become with the entry at an offset, so that what is before needn't be read.
package struct JournalSnapshot: Equatable, Sendable {
    /// The offset of the last entry in it.
    package var offset: UInt64
    /// The room's version then.
    package var version: UInt64
    /// JSON text that the room wrote, and reads.
    package var content: [UInt8]

    package init(offset: UInt64, version: UInt64, content: [UInt8]) {
        self.offset = offset
        self.version = version
        self.content = content
    }
}

/// A reader that follows a room's journal until it is cancelled.
package protocol JournalTail: AnyObject {
    /// Ends it: nothing is delivered any more.
    func cancel()
}

/// What a ``JournalTail`` delivers.
package enum JournalTailEvent {
    /// The next entries; at least one.
    case entries([(offset: UInt64, record: JournalRecord)])
    /// Somebody took the room over: the entries that follow are of the term with this id. Of a
    /// journal that says terms.
    case term(String)
    /// Everything that was kept when the reader began has been delivered; said once.
    case caughtUp
    /// It is over.
    case failed(JournalError)
}

/// What a journal knows of a room before it is read.
package struct RoomHistory: Equatable, Sendable {
    /// The id of the history; another one when its tail may have been lost.
    package var epoch: String
    /// The offset of the newest entry, 0 if there is none.
    package var head: UInt64
    /// Whether another process wrote it last.
    package var isTakenOver: Bool
    /// The id of the term in which the room is written from now on; nil if the journal's end is
    /// never lost without a new epoch.
    package var term: String?

    package init(epoch: String, head: UInt64, isTakenOver: Bool = false, term: String? = nil) {
        self.epoch = epoch
        self.head = head
        self.isTakenOver = isTakenOver
        self.term = term
    }
}

/// Why a journal didn't do what it was asked.
package enum JournalError: Error, Equatable, Sendable {
    /// It can't do it now; nothing was appended.
    case unavailable(String)
    /// Nobody can tell whether the batch was appended.
    case unknownOutcome(String)
    /// The batch's entry at this place can't be kept, as it is too large or can't be encoded;
    /// nothing was appended.
    case unfit(place: Int, String)
    /// Another server writes the room now, with a sentence; nothing was appended, nor will be.
    case replaced(String)
    /// Entries below this offset are no longer kept.
    case truncated(below: UInt64)
    /// What is kept can't be read: the reason, for the server's owner.
    case damaged(String)
}

extension JournalError: CustomStringConvertible {
    /// What went wrong, in a sentence.
    package var description: String {
        switch self {
        case .unavailable(let problem), .unfit(_, let problem), .replaced(let problem),
            .damaged(let problem):
            problem
        case .unknownOutcome(let problem): "\(problem) It isn't known what was appended."
        case .truncated(let offset): "Entries below the offset \(offset) are no longer kept."
        }
    }
}
