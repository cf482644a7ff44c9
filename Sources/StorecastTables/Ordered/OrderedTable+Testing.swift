extension OrderedTable {
    /// How many rows were ranked anew to make room for others, since the table was made.
    package var rankedAnewForTesting: Int { rankedAnew }

    /// What is wrong with the table: its trees, or that they don't have the same rows.
    package var fault: String? {
        if let fault = tree.fault ?? order.fault { return fault }
        if tree.count != order.count { return "\(tree.count) rows, \(order.count) ranks" }
        for (rank, id) in order where tree[id]?.rank != rank { return "a wrong rank" }
        for (key, (rank, _)) in tree where Rank(text: rank.text) == nil { return "\(key): no rank" }
        return nil
    }
}
