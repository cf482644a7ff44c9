/// What a room gets from outside: its name, journal and limits, its loop, time and chance.
package struct RoomContext {
    package var name: String
    package var journal: any Journal
    package var limits: SyncLimits
    package unowned var loop: RoomLoop
    /// Whether nothing is lost when it leaves memory, as what it has can be asked for again.
    package var isTransient = false
    /// The time of day.
    package var now: () -> Timestamp
    /// Where seeds and ids come from.
    package var random: any RandomNumberGenerator
    /// What an action of an entry is completed with, by its place in the entry; a test chooses it.
    package var stamp: (JournalEntry, _ index: Int) -> Stamp = { $0.stamp(index: $1) }

    package init(
        name: String, journal: any Journal, limits: SyncLimits = SyncLimits(), loop: RoomLoop,
        now: @escaping () -> Timestamp,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.name = name
        self.journal = journal
        self.limits = limits
        self.loop = loop
        self.now = now
        self.random = random
    }

    package var host: any LoopHost { loop.host }
}
