extension String {
    /// The text, or its beginning and an ellipsis if it is longer than `limit` bytes of UTF-8.
    ///
    /// For what a peer wrote and an error repeats. Counted in bytes, as a single `Character` can
    /// hold any number of them; cut between two Unicode scalars. O(`limit`).
    package func excerpt(_ limit: Int = 64) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end]) + "…"
    }
}
