/// Counts by position with sums of all before one (Fenwick 1994). Both take O(log n).
struct CountingTree {
    private var sums: [Int]

    init(count: Int) { sums = [Int](repeating: 0, count: count + 1) }

    mutating func add(_ value: Int, at position: Int) {
        var at = position + 1
        while at < sums.count {
            sums[at] += value
            at += at & -at
        }
    }

    func sum(below position: Int) -> Int {
        var sum = 0
        var at = position
        while at > 0 {
            sum += sums[at]
            at -= at & -at
        }
        return sum
    }
}
