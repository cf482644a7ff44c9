package import StorecastWire

/// How much of everything a server and its rooms hold for clients, and take from them.
///
/// A program that serves gives it to its `SyncServer`; the bounds on time, connections and rooms
/// have no meaning elsewhere. What is in one of a server's loops counts for that loop.
public struct SyncLimits: Sendable {
    /// The largest message from a client, in bytes; 1 MiB.
    public var messageBytes = 1 << 20
    /// How deep arrays and objects may be nested in a message; 64.
    public var depth = 64
    /// The largest value of a selection, in bytes of JSON text; 60 MiB, as this library's clients
    /// take messages of 64 MiB. A selection that grows beyond it ends with `internal`.
    public var valueBytes = 60 << 20
    /// A selection's first value is sent in parts of so many bytes of text if it has more, to clients
    /// that take parts; 64 KiB, at least 4. That is how long it holds up anything else: half a
    /// millisecond at a gigabit a second. `Int.max` sends every value whole.
    public var partBytes = 64 << 10
    /// How many bytes of first values a connection is sent in one write, and at least one value;
    /// 1 MiB. The others follow when it has taken that.
    public var writeBytes = 1 << 20
    /// How many bytes of values a connection is sent whole in one transaction, and at least one
    /// value; 4 MiB. When a turn gives a connection more values anew, it is asked to subscribe to
    /// the others again.
    public var transactionBytes = 4 << 20
    /// How many dispatches of a client may be without an outcome; 1,024.
    public var window = 1024
    /// How many subscriptions a connection may have; 256.
    public var subscriptions = 256
    /// The longest parameters of a subscription, in bytes of JSON text; 4 KiB. They are kept as
    /// long as it lives.
    public var parameterBytes = 4 << 10
    /// The longest parameters of all subscriptions of a connection together; 64 KiB.
    public var parameterBytesPerConnection = 64 << 10
    /// How many bytes of replies may wait for a connection before the server stops reading from
    /// it; 64 KiB.
    public var controlBytes = 64 << 10
    /// How many bytes of a connection's messages may be on their way to the loop of its room, where
    /// that is another, before the server stops reading from it; 256 KiB.
    public var relayedBytes = 256 << 10
    /// How many bytes of dispatches may wait in a room for its journal, about; 16 MiB. Beyond,
    /// clients are asked to send theirs again later.
    public var waitingBytes = 16 << 20
    /// How many bytes of past patches a selection group keeps, 256 KiB; it never keeps more than
    /// a snapshot takes.
    public var historyBytes = 256 << 10
    /// How long a selection group outlives its last subscription, so that who reconnects is told
    /// only what changed: at least so long, at most twice; 30 seconds.
    public var lingerTime = Duration.seconds(30)
    /// How many such groups a room keeps; 256. The one that was left first is forgotten first.
    public var lingeringGroups = 256
    /// How many bytes they may take in a room, about: of JSON text, in values and past patches;
    /// 4 MiB.
    public var lingeringBytes = 4 << 20
    /// Of how many clients a room remembers what was settled; 100,000, and those that are connected
    /// beyond it.
    ///
    /// When there are more, those are forgotten that were seen the longest ago, of the identities
    /// that have the most clients; of anonymous ones, of the addresses that do. A client that is
    /// connected isn't forgotten. The room's journal says who is: the number may be changed at any
    /// time.
    public var clients = 100_000
    /// How many rejections a room remembers that their clients may not know of yet; 100,000. When
    /// there are more, they are forgotten as clients are, but before them.
    public var rejections = 100_000
    /// How much work the messages of a loop's clients may make in a turn, about: in bytes that are
    /// read, compared or written; 256 KiB, which take 1 ms. The rest waits for later turns, in which
    /// as much is done of what waits: connections take turns.
    public var turnWork = 256 << 10
    /// How much of it one connection may make in a turn before it waits behind others; 64 KiB.
    ///
    /// A connection has priority while its recent work, with the message that has just come, is at
    /// most a quarter of this, and that of all connections of its identity, and of its address, at
    /// most half. Recent work is forgiven at a rate of four times this value per second for a
    /// connection, and eight times for an identity or an address.
    public var turnWorkPerConnection = 64 << 10
    /// How many entries of a room are reduced in a turn; 1,000, and no more when 2 ms are over.
    public var turnActions = 1000
    /// Seconds of silence after which a client pings; 30.
    public var heartbeat = 30
    /// How long a room in a durable journal stays in memory when nobody is in it; a minute.
    public var unloadAfter = Duration.seconds(60)
    /// How many rooms a loop has open; 10,000. Who asks for one more is told `full`.
    public var rooms = 10_000
    /// How many connections a loop has, handshakes included; 100,000. More are answered with HTTP
    /// status 503. The clients of all edges in the loop's rooms may be as many beside them; more are
    /// told `full`.
    public var connections = 100_000
    /// How many connections of one address a loop has; 1,000. An address is an IPv4 address, or the
    /// first 64 bits of an IPv6 one; this machine's own aren't counted. More are told `full`.
    public var connectionsPerAddress = 1000
    /// How many connections of one identity a loop has; 1,000. Anonymous ones are counted by their
    /// addresses only. More are told `full`.
    public var connectionsPerIdentity = 1000
    /// How much a connection may send in a second: 200 messages and actions and 512 KiB, ten seconds'
    /// worth at once.
    public var connectionRate = SyncRate(messages: 200, bytes: 524_288, actions: 200)
    /// How much the connections of one identity of a loop may send together: as much as two.
    public var identityRate = SyncRate(messages: 400, bytes: 1_048_576, actions: 400)
    /// How much the connections of one address of a loop may send together: as much as ten.
    public var addressRate = SyncRate(messages: 2000, bytes: 5_242_880, actions: 2000)
    /// How often in a row a connection may dispatch more than it may before it is ended with `full`;
    /// 100.
    public var overruns = 100
    /// How many arrivals and departures of clients a room may write to its journal at once, if it
    /// records them; 2,000.
    public var announcements = 2000
    /// How many more per second; 50. Others wait; one that has left by then isn't recorded.
    public var announcementsPerSecond = 50.0
    /// How many requests for pages a browser may make on a connection; 100. 1 closes each connection
    /// with its answer.
    public var requestsPerConnection = 100
    /// How many connections of a loop are left open for another request for a page; 1,000. Those of
    /// others are closed with their answer, and so are all while a loop has as many as
    /// ``connections``.
    public var keptConnections = 1000
    /// How long a client may take from connecting to the end of its request, and from the end of an
    /// answer to the end of the next request; 10 seconds.
    public var handshakeTimeout = Duration.seconds(10)
    /// How long it may take from there to its `hello`; 10 seconds.
    public var helloTimeout = Duration.seconds(10)
    /// How long before a client's identity expires it is asked for a newer token; a minute, and at
    /// most half of the time that is left when the token is checked.
    public var renewalMargin = Duration.seconds(60)
    /// How long a token may be, in bytes; 8 KiB. A longer one is refused unread.
    public var tokenBytes = 8 << 10
    /// How many tokens a loop has checked at a time by a function of the server's own; 256. Who
    /// shows another is told `busy`.
    public var tokenChecks = 256
    /// How long such a check may take; 10 seconds. Who waits for it is told `busy` then.
    public var tokenCheckTimeout = Duration.seconds(10)
    /// How long a browser may take to read a page or another answer to a plain request; a minute.
    public var answerTimeout = Duration.seconds(60)
    /// How often a client of which nothing is heard is sent a WebSocket ping; 25 seconds.
    public var pingInterval = Duration.seconds(25)
    /// How long nothing may be heard of a client; 90 seconds. It is found out at most one
    /// ``pingInterval`` later.
    public var silence = Duration.seconds(90)
    /// How long a client may take nothing of what it is sent, whatever it sends itself; a minute.
    /// It is found out at most two ``pingInterval``s later.
    public var stallTimeout = Duration.seconds(60)
    /// How long a message may take to come, from its first byte to its last; a minute. It is found
    /// out at most one ``pingInterval`` later.
    public var messageTimeout = Duration.seconds(60)
    /// How many bytes a loop holds of messages that aren't whole yet, of all its connections; 16 MiB.
    /// Beyond, connections are ended, those first whose message began first.
    public var unfinishedBytes = 16 << 20
    /// How many bytes of messages that have come, and wait to be worked off, a loop holds of all its
    /// connections, those included that were sent with a token that is being checked; 16 MiB, and
    /// never less than ``messageBytes``. Beyond, connections are ended with `busy`,
    /// those first of whose address or identity most waits.
    public var pendingBytes = 16 << 20
    /// How long a client may take to answer a close frame before it is cut off; 5 seconds.
    public var closeTimeout = Duration.seconds(5)
    /// How long the server may take to end, at most: half of it to say goodbye to its clients in
    /// waves, the rest to hear their answers and to write snapshots.
    public var drainTimeout = Duration.seconds(20)
    /// How many bytes the disk of a journal must have left; 64 MiB. Below, rooms refuse actions with
    /// `unavailable`; snapshots, and deleting what is older, go on.
    public var diskReserve = 64 << 20
    /// How many bytes of memory the process may have in use, about, before loops shed work: nobody
    /// new is let in, and what only saves work is forgotten; then connections that hold more than
    /// 16 KiB are ended, those that hold the most first. 0, the default, is three quarters of what
    /// the machine or its container has.
    public var memory = 0
    /// When a room's state is written to a durable journal, and how many such snapshots it keeps.
    public var snapshots = SnapshotPolicy()

    /// The defaults.
    public init() {}

    /// Lets a connection send so much, an identity twice and an address ten times as much.
    public mutating func setRates(_ rate: SyncRate) {
        connectionRate = rate
        identityRate = rate.times(2)
        addressRate = rate.times(10)
    }

    package var json: JSONLimits {
        var limits = JSONLimits()
        limits.bytes = messageBytes
        limits.depth = depth
        return limits
    }

    package var frame: ServerFrame.Limits {
        ServerFrame.Limits(
            message: UInt64(messageBytes), window: UInt64(window),
            subscriptions: UInt64(subscriptions), depth: UInt64(depth))
    }
}

/// How much may come from one sender in a second.
public struct SyncRate: Hashable, Sendable {
    /// WebSocket messages. Beyond, the server stops reading from the connection for a while.
    public var messages: Double
    /// Bytes of messages; beyond as for ``messages``.
    public var bytes: Double
    /// Dispatches. Beyond, they are refused with `busy`, and may come again when it says.
    public var actions: Double
    /// For how many seconds' worth may come at once, after as long a pause.
    public var burst: Double

    /// A rate, each number in a second.
    public init(messages: Double, bytes: Double, actions: Double, burst: Double = 10) {
        self.messages = messages
        self.bytes = bytes
        self.actions = actions
        self.burst = burst
    }

    func times(_ factor: Double) -> SyncRate {
        SyncRate(
            messages: messages * factor, bytes: bytes * factor, actions: actions * factor,
            burst: burst)
    }

    /// No bound.
    public static let unlimited = SyncRate(
        messages: .infinity, bytes: .infinity, actions: .infinity)
}

/// When a room's state is written to a durable journal, so that it needn't be reduced again.
public struct SnapshotPolicy: Sendable {
    /// After how many entries; 10,000, which take about 0.1 s to read and reduce.
    public var entries = 10_000
    /// After how many bytes of entries, if that comes first; 16 MiB.
    ///
    /// A snapshot larger than `entries` or `bytes` of entries waits until they have grown by as
    /// much as the last one took: snapshots never cost more writing than the actions do.
    public var bytes = 16 << 20
    /// How many snapshots are kept, at least 1; what is older than all of them is forgotten, its
    /// entries too. Nil, the default, keeps everything, for audit and time travel.
    public var kept: Int?

    /// The defaults.
    public init() {}
}
