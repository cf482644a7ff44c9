import StorecastSync
import StorecastTables

/// The rows of a table sorted for queries of one shape: by the fields that they compare with one
/// value, then by those that they sort by, then by rank if the table has an order of its own, then
/// by id. Knows which pages and aggregates a changed row concerns.
///
/// A page is watched by the rows that it shows and by the nearest one on either side. A row that
/// changes its place concerns the pages that it watched, and those watched by its new neighbours;
/// one that stays where it is, those that show it. So what a change costs doesn't depend on the
/// number of pages: O(log rows), and the pages that it concerns. Aggregates are concerned by every
/// row of their query.
final class RowIndex<State, Rows: RowsByID> where Rows.Row: Codable & Equatable & Sendable {
    typealias Row = Rows.Row
    typealias Key = RowKey<Row.ID>
    typealias Page = PageSource<State, Rows>
    typealias Source = TableSource<State, Rows>

    let plan: RowPlan<Row>
    /// Its place among the indices of the table.
    var place = 0
    private(set) var keys = SortedTree<Key, Void>()
    /// The pages that show a row.
    private var shown = SortedTree<KeyOrder<Row.ID>, RowWatchers<Page>>()
    /// The pages that a row is beside without being shown.
    private var beside = SortedTree<KeyOrder<Row.ID>, RowWatchers<Page>>()
    /// The pages with no row before them or none behind, by the values of the fields that must have
    /// one.
    private var atEnd: [[IndexValue]: RowWatchers<Page>] = [:]
    /// The pages that count, by the same.
    private var counting: [[IndexValue]: RowWatchers<Page>] = [:]
    /// The aggregates, by the same.
    private var aggregates: [[IndexValue]: RowWatchers<Source>] = [:]
    /// How many pages and aggregates there are.
    private(set) var watchers = 0
    private var lastNumber: UInt64 = 0

    /// An index of the rows of a table. O(n log n).
    init(_ plan: RowPlan<Row>, of table: Rows) {
        self.plan = plan
        var keys: ContiguousArray<Key> = []
        // In the order of ids, which is that of rows with the same values.
        table.forEachRow { row, rank in
            if let key = plan.key(of: row, rank: rank) { keys.append(key) }
        }
        let order = RowKeyPart.order(of: keys.map(\.parts))
        self.keys = SortedTree(
            sortedKeys: ContiguousArray(order.map { keys[$0] }),
            values: ContiguousArray(repeating: (), count: keys.count))
    }

    // MARK: Changes

    /// Takes a changed row, and tells the pages and aggregates that it concerns; one maybe twice.
    func apply(_ change: RowChange<Row>, _ tell: (Source) -> Void) {
        let old = change.old.flatMap { plan.key(of: $0, rank: change.oldRank) }
        let new = change.new.flatMap { plan.key(of: $0, rank: change.newRank) }
        if !aggregates.isEmpty, change.isOther {
            if let old { aggregates[plan.values(of: old)]?.forEach(tell) }
            if let new { aggregates[plan.values(of: new)]?.forEach(tell) }
        }
        if let old, let new, old.isSame(as: new) {
            shown[change.id]?.forEach(tell)
            return
        }
        let tell = { (page: Page) in
            page.isMoved = true
            tell(page)
        }
        if let old {
            keys.remove(old)
            shown[change.id]?.forEach(tell)
            beside[change.id]?.forEach(tell)
            if change.isOther { counting[plan.values(of: old)]?.forEach(tell) }
        }
        guard let new else { return }
        keys.update((), at: new)
        let values = plan.values(of: new)
        if change.isOther { counting[values]?.forEach(tell) }
        let place = keys.position(of: new)
        var isAtEnd = false
        for neighbour in [place - 1, place + 1] {
            guard let id = id(at: neighbour, of: values) else {
                isAtEnd = true
                continue
            }
            shown[id]?.forEach(tell)
            beside[id]?.forEach(tell)
        }
        if isAtEnd { atEnd[values]?.forEach(tell) }
    }

    /// The row at a place, if its fields have the values that those of a page must have.
    private func id(at place: Int, of values: [IndexValue]) -> Row.ID? {
        guard (0..<keys.count).contains(place) else { return nil }
        let key = keys[position: place].key
        return plan.values(of: key) == values ? key.id : nil
    }

    // MARK: Pages

    /// Where a page is: the positions of its rows and of all rows of its query.
    func span(of plan: RowPlan<Row>) -> (page: Range<Int>, all: Range<Int>) {
        let first = keys.position(of: plan.lower)
        let all = first..<max(first, keys.position(of: plan.upper))
        var (low, high) = (all.lowerBound, all.upperBound)
        if let cursor = plan.cursor {
            let place = keys.position(of: cursor)
            if plan.query.isBefore {
                high = min(max(place, low), high)
            } else {
                low = min(max(keys.contains(cursor) ? place + 1 : place, low), high)
            }
        }
        if let limit = plan.query.limit, high - low > limit {
            if plan.query.isBefore { low = high - limit } else { high = low + limit }
        }
        return (low..<high, all)
    }

    /// The keys of a range of positions. O(log n), and their number.
    func keys(in range: Range<Int>) -> [Key] {
        var cursor = keys.cursor(position: range.lowerBound)
        return range.compactMap { _ in cursor.next()?.key }
    }

    /// Has a page told of what concerns it from now on; it shows the rows in `range`.
    func watch(_ page: Page, showing ids: [Row.ID], in range: Range<Int>) {
        watchers += 1
        lastNumber += 1
        page.number = lastNumber
        let values = page.plan.values
        for id in ids { add(page, to: &shown, id) }
        for place in [range.lowerBound - 1, range.upperBound] {
            if let id = id(at: place, of: values) {
                page.neighbours.append(id)
                add(page, to: &beside, id)
            } else if !page.isAtEnd {
                page.isAtEnd = true
                add(page, to: &atEnd, values)
            }
        }
        if page.plan.query.isCounted { add(page, to: &counting, values) }
    }

    /// Ends what ``watch(_:showing:in:)`` began.
    func unwatch(_ page: Page, showing ids: [Row.ID]) {
        watchers -= 1
        let values = page.plan.values
        for id in ids { remove(page, from: &shown, id) }
        for id in page.neighbours { remove(page, from: &beside, id) }
        page.neighbours = []
        if page.isAtEnd { remove(page, from: &atEnd, values) }
        page.isAtEnd = false
        if page.plan.query.isCounted { remove(page, from: &counting, values) }
    }

    /// Has an aggregate told of every changed row of its plan from now on.
    func watch(_ aggregate: Source, of plan: RowPlan<Row>) {
        watchers += 1
        lastNumber += 1
        aggregate.number = lastNumber
        add(aggregate, to: &aggregates, plan.values)
    }

    /// Ends what ``watch(_:of:)`` began.
    func unwatch(_ aggregate: Source, of plan: RowPlan<Row>) {
        watchers -= 1
        remove(aggregate, from: &aggregates, plan.values)
    }

    private func add(
        _ page: Page, to pages: inout SortedTree<KeyOrder<Row.ID>, RowWatchers<Page>>, _ id: Row.ID
    ) {
        if let list = pages[id] { return list.add(page, page.number) }
        pages.update(RowWatchers(page), at: id)
    }

    private func remove(
        _ page: Page, from pages: inout SortedTree<KeyOrder<Row.ID>, RowWatchers<Page>>,
        _ id: Row.ID
    ) {
        guard let list = pages[id] else { return }
        list.remove(page, page.number)
        if list.isEmpty { pages.remove(id) }
    }

    private func add<Watcher: Source>(
        _ watcher: Watcher, to watchers: inout [[IndexValue]: RowWatchers<Watcher>],
        _ values: [IndexValue]
    ) {
        if let list = watchers[values] { return list.add(watcher, watcher.number) }
        watchers[values] = RowWatchers(watcher)
    }

    private func remove<Watcher: Source>(
        _ watcher: Watcher, from watchers: inout [[IndexValue]: RowWatchers<Watcher>],
        _ values: [IndexValue]
    ) {
        guard let list = watchers[values] else { return }
        list.remove(watcher, watcher.number)
        if list.isEmpty { watchers[values] = nil }
    }
}

/// The selections that a row concerns: mostly few, but as many as there are clients with
/// selections of their own. In an order that is the same in every process. Adding one and removing
/// one are O(log n).
final class RowWatchers<Watcher: AnyObject> {
    /// As long as there are so few that looking through them is the quickest.
    private var few: [Watcher]
    private var many = SortedTree<KeyOrder<UInt64>, Watcher>()

    init(_ watcher: Watcher) { few = [watcher] }

    var isEmpty: Bool { few.isEmpty && many.isEmpty }

    /// - Parameter number: the watcher's own, among all that are told by the same index or views.
    func add(_ watcher: Watcher, _ number: UInt64) {
        if many.isEmpty, few.count < 16 { return few.append(watcher) }
        many.update(watcher, at: number)
    }

    func remove(_ watcher: Watcher, _ number: UInt64) {
        if let place = few.firstIndex(where: { $0 === watcher }) {
            few.remove(at: place)
        } else {
            many.remove(number)
        }
    }

    func forEach(_ body: (Watcher) -> Void) {
        few.forEach(body)
        for (_, watcher) in many { body(watcher) }
    }
}
