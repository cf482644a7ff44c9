/// One line of a room's journal as JSON Lines: what `storecast journal export` writes and `import`
/// reads.
///
/// ```json
/// {"journal":"storecast","format":1,"room":"/boards/lobby","epoch":"c0ffee…"}
/// {"offset":1,"time":1763726400.5,"sender":{"id":"ada","roles":["admin"]},"client":"6f1d…","seq":1,"base":0,"settled":0,"seed":"7","schema":1,"actions":[{"type":"AddCard","payload":{"text":"Hi"}}]}
/// {"offset":2,"time":1763726401,"sender":{"id":""},"client":"…","seq":1,"base":1,"settled":0,"seed":"8","schema":1,"actions":[],"rejection":{"code":"forbidden","title":"Admins only."}}
/// {"offset":2,"version":1,"snapshot":{"format":1,…}}
/// ```
/// The first line is the header; offsets rise from entry to entry. A snapshot stands behind the
/// entry whose offset it has; one that stands before every entry is where the history begins. The
/// seed is a string, because not every program reads integers of 64 bits exactly (RFC 7493, section
/// 2.2). The client ids in it are secrets as long as the clients are in use.
package enum JournalLine: Equatable, Sendable {
    /// Whose journal it is.
    case header(room: String, epoch: String)
    case entry(offset: UInt64, JournalRecord)
    case snapshot(JournalSnapshot)

    /// The version of the format.
    static var format: Int { 1 }
    static var name: StaticString { "storecast" }
}
