/// A value that is encoded as an object, and knows which members two versions of it differ in.
///
/// A type that conforms is asked for them, instead of encoding all of its members.
package protocol NamedMembers<Member>: Encodable {
    associatedtype Member: Encodable

    /// How many members there are.
    var count: Int { get }

    /// Calls `report` for each member that only one of both has, or that may have another value.
    ///
    /// Once for each name, in an order that is the same in every process. Names are those that
    /// `encode(to:)` writes. No other member may differ.
    func forEachChange(
        since old: Self,
        _ report: (_ name: String, _ old: Member?, _ new: Member?) throws -> Void
    ) rethrows
}

/// What a dictionary is encoded as an object by, each with one name.
package protocol MemberName: Hashable, Encodable {
    /// As the dictionary's own `encode(to:)` writes it.
    var memberName: String { get }
    /// Not `==`, for which canonically equivalent strings are one.
    func isSameName(as other: Self) -> Bool
}

extension String: MemberName {
    package var memberName: String { self }
    package func isSameName(as other: String) -> Bool { isSameText(as: other) }
}

extension Int: MemberName {
    package var memberName: String { String(self) }
    package func isSameName(as other: Int) -> Bool { self == other }
}

extension ExactString: MemberName {
    package var memberName: String { string }
    package func isSameName(as other: ExactString) -> Bool { self == other }
}

extension Dictionary: NamedMembers where Key: MemberName, Value: Encodable {
    package typealias Member = Value

    package func forEachChange(
        since old: Self, _ report: (_ name: String, _ old: Value?, _ new: Value?) throws -> Void
    ) rethrows {
        var changes: [(name: ExactString, old: Value?, new: Value?)] = []
        var kept = 0
        // Two versions of one dictionary mostly have their members in the same order.
        var next = old.startIndex
        for index in indices {
            let key = keys[index]
            guard let match = old.index(of: key, at: next) else {
                changes.append((ExactString(key.memberName), nil, values[index]))
                continue
            }
            kept += 1
            next = old.index(after: match)
            if !isSameMemory(old.values[match], values[index]) {
                changes.append((ExactString(key.memberName), old.values[match], values[index]))
            }
        }
        if kept < old.count {
            for index in old.indices where self.index(of: old.keys[index], at: endIndex) == nil {
                changes.append((ExactString(old.keys[index].memberName), old.values[index], nil))
            }
        }
        for change in changes.sorted(by: { $0.name < $1.name }) {
            try report(change.name.string, change.old, change.new)
        }
    }

    /// Where the member is that has exactly this name: at `guess`, or elsewhere.
    private func index(of key: Key, at guess: Index) -> Index? {
        if guess != endIndex, key.isSameName(as: keys[guess]) { return guess }
        guard let index = index(forKey: key), key.isSameName(as: keys[index]) else { return nil }
        return index
    }
}

/// An array, whose elements are encoded one by one.
protocol ElementList: Encodable {
    associatedtype Element: Encodable
    var elements: [Element] { get }
}

extension Array: ElementList where Element: Encodable {
    var elements: [Element] { self }
}
