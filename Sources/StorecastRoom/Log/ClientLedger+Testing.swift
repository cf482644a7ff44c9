extension ClientLedger {
    /// Everything that the ledger knows, the client first that was seen the longest ago: equal
    /// ledgers describe themselves equally.
    package var contents: [String] {
        var lines = ["horizon \(horizon)"]
        var place = oldest
        while let slot = place.map({ slots[$0] }) {
            let record = slot.record
            lines.append(
                "\(slot.client) of \(record.identity): \(record.lastSeq), reduced at "
                    + "\(record.lastReduced), from \(record.horizon), rejected "
                    + "\(record.rejections.map { "\($0.seq) \($0.rejection.code)" })")
            place = slot.newer
        }
        return lines
    }
}
