/// Why a server doesn't start or doesn't do what its own code asks of it.
public struct ServerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A kind of error.
    public struct Code: Hashable, Sendable {
        private let word: String

        /// It can't listen on the address.
        public static let cannotListen = Code(word: "cannot-listen")
        /// It runs already, or did.
        public static let alreadyStarted = Code(word: "already-started")
        /// It doesn't run.
        public static let notRunning = Code(word: "not-running")
        /// The path names no room, or one of another state.
        public static let noRoom = Code(word: "no-room")
        /// The journal is in use by another process, or its file can't be opened, read or written
        /// now.
        public static let journalUnavailable = Code(word: "journal-unavailable")
        /// What is kept in the journal is damaged, or isn't a journal that this version reads.
        public static let journalUnreadable = Code(word: "journal-unreadable")
        /// The folder of its pages can't be read, or holds too much.
        public static let pagesUnreadable = Code(word: "pages-unreadable")
        /// The file of its tokens can't be read, or isn't one.
        public static let tokensUnreadable = Code(word: "tokens-unreadable")
        /// A pattern of ``RoomPatterns`` isn't one.
        public static let roomPatternUnusable = Code(word: "room-pattern-unusable")
        /// The file of ``DocumentRules`` can't be read, or isn't one.
        public static let rulesUnusable = Code(word: "rules-unusable")
        /// The keys for its clients' tokens can't be read, or none of them can be used.
        public static let keysUnreadable = Code(word: "keys-unreadable")
        /// The certificate or its key can't be read, or don't belong together.
        public static let certificateUnusable = Code(word: "certificate-unusable")
        /// The file of its audit log can't be opened or made.
        public static let auditUnwritable = Code(word: "audit-unwritable")
        /// The key that edges are known by can't be read, or is too short.
        public static let edgeKeyUnusable = Code(word: "edge-key-unusable")
        /// The address of an edge's ``Upstream`` isn't one.
        public static let upstreamUnusable = Code(word: "upstream-unusable")
        /// What is said of a cluster can't be used: the addresses of NATS, what proves to it who
        /// this is, or where the other servers reach this one.
        public static let clusterUnusable = Code(word: "cluster-unusable")
        /// The servers of a cluster don't do what they are asked to: there is no such room or
        /// server, nobody takes the room, or NATS doesn't answer.
        public static let clusterRefused = Code(word: "cluster-refused")
        /// The system gives it no thread or no descriptors.
        public static let noResources = Code(word: "no-resources")
    }

    /// The kind.
    public let code: Code
    /// What is wrong and what to do, in a sentence or two.
    public let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
