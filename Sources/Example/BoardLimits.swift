import StorecastSync

/// How large the parts of a board may grow.
///
/// Lengths are counted in Unicode scalars: a single `Character` can hold any number of them.
public enum BoardLimits {
    /// The longest title of a column.
    public static let title = 80
    /// The longest text of a card.
    public static let text = 500
    /// How much a card remembers of recent edits of its text, as `SharedText.memory` counts it; of
    /// some 40 bytes each. Those who are shown the card have it, too.
    public static let textMemory = 200
    /// The longest message in the chat.
    public static let message = 1_000
    /// The longest name or id of a person.
    public static let name = 64
    /// The most columns.
    public static let columns = 20
    /// The most cards in one column. A board has room for 200,000, of some 50 MB of memory; a
    /// snapshot of them takes about as much on the disk.
    public static let cardsPerColumn = 10_000
    /// The most cards that a client is shown of a column at a time.
    public static let cardsPerPage = 200
    /// The most votes for one card.
    public static let votesPerCard = 500
    /// How much of what was done to a card or column is remembered.
    public static let events = 20
    /// How many of the cards that were removed are kept for a while.
    public static let removed = 50
    /// How many cards a search finds at most: the newest.
    public static let found = 100
    /// The longest text to search for; what is beyond isn't looked at.
    public static let search = 100
    /// How many messages the chat holds; older ones are forgotten.
    public static let messages = 200

    /// Throws if `name` is blank, or hides or reorders text, or is too long.
    static func check(name: String, _ what: StaticString) throws(Rejection) {
        try check(name, what, limit: Self.name)
        guard name.isShowable else {
            throw Rejection(.invalid, "The \(what) hides or reorders text.", detail: name.shown)
        }
    }

    /// Throws if `text` is blank, has more than `limit` scalars, or has control characters other
    /// than line feed and tab.
    static func check(_ text: String, _ what: StaticString, limit: Int) throws(Rejection) {
        let scalars = text.unicodeScalars
        // At most four bytes a scalar: a long text is refused without being read.
        guard text.utf8.count <= 4 * limit, scalars.count <= limit else {
            throw Rejection(
                .invalid, "The \(what) is too long.", detail: "At most \(limit) characters.")
        }
        guard !text.isBlank else {
            throw Rejection(.invalid, "The \(what) is empty.")
        }
        let allowed: Set<Unicode.Scalar> = ["\n", "\t"]
        let forbidden = scalars.first { scalar in
            scalar.properties.generalCategory == .control && !allowed.contains(scalar)
        }
        if let forbidden {
            throw Rejection(
                .invalid, "The \(what) has a control character in it.",
                detail: "U+" + String(forbidden.value, radix: 16, uppercase: true))
        }
    }
}
